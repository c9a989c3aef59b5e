import ProgrammeJSON
import Testing

/// What is JSON, and what is none.
@Suite(.timeLimit(.minutes(5))) struct JSONReaderTests {
    private static let good: [(text: String, value: JSONValue)] = [
        ("null", .null), ("true", .bool(true)), ("false", .bool(false)), (" \t\r\n 1 \n", .integer(1)),
        ("\"\"", .string("")), ("[]", .array([])), ("{}", .object([])), ("[ ]", .array([])), ("{ }", .object([])),
        ("[null,1,\"1\",{}]", .array([.null, .integer(1), .string("1"), .object([])])),
        ("{\"\":0}", .object(["": .integer(0)])),
        ("{\"a\" : [ ] , \"b\":{}}", .object(["a": .array([]), "b": .object([])])),
        // Numbers.
        ("0", .integer(0)), ("-0", .integer(0)), ("-0.0", .integer(0)), ("0e99999999999999999999", .integer(0)),
        ("-1", .integer(-1)), ("1e2", .integer(100)), ("1E+2", .integer(100)), ("100.00", .integer(100)),
        ("1.5e1", .integer(15)), ("1200e-2", .integer(12)), ("0.001e3", .integer(1)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775807.0", .integer(.max)), ("9223372036854775808", .double(0x1p63)),
        ("-9223372036854775809", .integer(.min)), ("1e18", .integer(1_000_000_000_000_000_000)),
        ("1e19", .double(1e19)), ("1e-2", .double(0.01)), ("0.1", .double(0.1)),
        ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        ("5e-324", .double(.leastNonzeroMagnitude)), ("1e-99999999999999999999", .integer(0)),
        ("123123123123123123123123123123", .double(1.2312312312312312e29)),
        ("9007199254740993.0", .integer(9_007_199_254_740_993)),
        ("4503599627370497.4", .integer(4_503_599_627_370_497)),
        // Strings.
        (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{08}\u{0C}\n\r\t")), (#""\u0000""#, .string("\0")),
        (#""\u00e9\u00E9""#, .string("éé")), (#""\uD834\uDd1e""#, .string("\u{1D11E}")),
        (#""\uDBFF\uDFFF""#, .string("\u{10FFFF}")), (#""\uFFFF""#, .string("\u{FFFF}")),
        (#""\\u0000""#, .string("\\u0000")), (#""\\\\\"""#, .string("\\\\\"")),
        ("\"\u{7F}\u{2028}\u{FEFF}\"", .string("\u{7F}\u{2028}\u{FEFF}")),
        (#""a/*b*/c""#, .string("a/*b*/c")), (#"{"a":{"a":1}}"#, .object(["a": .object(["a": .integer(1)])])),
    ]

    @Test(arguments: good.indices) func isRead(index: Int) throws {
        let (text, value) = Self.good[index]
        #expect(try JSONValue(parsing: text, byteLimit: 100) == value)
    }

    private static let bad: [(text: String, cause: JSONError.Cause, offset: Int)] = [
        ("", .endsEarly, 0), (" ", .endsEarly, 1), ("[", .endsEarly, 1), ("{", .endsEarly, 1), ("[1", .endsEarly, 2),
        ("[1,", .endsEarly, 3), ("{\"a\"", .endsEarly, 4), ("{\"a\":", .endsEarly, 5), ("\"a", .endsEarly, 2),
        ("\"\\", .endsEarly, 2), ("\"\\u00", .endsEarly, 5), ("-", .endsEarly, 1), ("1.", .endsEarly, 2),
        ("1e", .endsEarly, 2), ("1e+", .endsEarly, 3),
        ("1 2", .textBehind, 2), ("[]]", .textBehind, 2), ("{}}", .textBehind, 2), ("nulll", .textBehind, 4),
        ("[] //", .textBehind, 3), ("1\u{0}", .textBehind, 1), ("[][]", .textBehind, 2), ("1_000", .textBehind, 1),
        ("0x1", .textBehind, 1), ("1a", .textBehind, 1),
        ("\u{FEFF}{}", .byteOrderMark, 0), ("[\u{FEFF}]", .noValue, 1),
        ("nul", .noValue, 0), ("True", .noValue, 0), ("NaN", .noValue, 0), ("-NaN", .badNumber, 1),
        ("Infinity", .noValue, 0),
        ("-Infinity", .badNumber, 1), ("'a'", .noValue, 0), ("a", .noValue, 0), ("[,1]", .noValue, 1),
        ("[1,,2]", .noValue, 3),
        ("[1,]", .noValue, 3), ("/**/1", .noValue, 0), ("+1", .noValue, 0), (".5", .noValue, 0),
        ("\u{A0}1", .noValue, 0),
        ("\u{0C}1", .noValue, 0), ("*", .noValue, 0), ("]", .noValue, 0), ("[\\n]", .noValue, 1),
        ("\u{FF11}", .noValue, 0),
        ("[1 2]", .noCommaOrBracket, 3), ("[1:2]", .noCommaOrBracket, 2), ("[1}", .noCommaOrBracket, 2),
        ("[\"a\" b]", .noCommaOrBracket, 5),
        ("{\"a\":1 \"b\":2}", .noCommaOrBrace, 7), ("{\"a\":1]", .noCommaOrBrace, 6),
        ("{\"a\":1:2}", .noCommaOrBrace, 6),
        ("{a:1}", .noMemberName, 1), ("{1:1}", .noMemberName, 1), ("{\"a\":1,}", .noMemberName, 7),
        ("{,}", .noMemberName, 1), ("{null:1}", .noMemberName, 1),
        ("{\"a\" 1}", .noColon, 5), ("{\"a\",1}", .noColon, 4), ("{\"a\"}", .noColon, 4), ("{\"a\"::1}", .noValue, 5),
        ("{\"a\":1,\"a\":1}", .twice("a"), 7), ("{\"a\":1,\"\\u0061\":2}", .twice("a"), 7),
        ("01", .badNumber, 0), ("-01", .badNumber, 0), ("00", .badNumber, 0), ("1.e1", .badNumber, 2),
        ("--1", .badNumber, 1),
        ("-a", .badNumber, 1), ("1e+-1", .badNumber, 3), ("1eE2", .badNumber, 2), ("[1.]", .badNumber, 3),
        ("1e1.5", .textBehind, 3),
        ("1e309", .numberTooLarge, 0), ("[-1e309]", .numberTooLarge, 1), ("1e99999999999999999999", .numberTooLarge, 0),
        (#""\a""#, .badEscape, 1), (#""\x41""#, .badEscape, 1), (#""\U0041""#, .badEscape, 1),
        (#""\u00g0""#, .badEscape, 1),
        ("\"\\u\u{FF10}000\"", .badEscape, 1), (#""\'""#, .badEscape, 1), ("\"\\\u{0}\"", .badEscape, 1),
        (#""\uD800""#, .loneSurrogate, 1), (#""\uDC00""#, .loneSurrogate, 1), (#""a\uD800x""#, .loneSurrogate, 2),
        (#""\uD800\n""#, .loneSurrogate, 1), (#""\uD800\uD800""#, .loneSurrogate, 1),
        (#""\uDC00\uD800""#, .loneSurrogate, 1), (#""\uD800\u0041""#, .loneSurrogate, 1),
        ("\"a\nb\"", .controlCharacter, 2), ("\"\t\"", .controlCharacter, 1), ("\"\u{0}\"", .controlCharacter, 1),
        ("\"\u{1F}\"", .controlCharacter, 1),
    ]

    @Test(arguments: bad.indices) func isRefused(index: Int) {
        let (text, cause, offset) = Self.bad[index]
        do throws(JSONError) {
            let value = try JSONValue(parsing: text, byteLimit: 100)
            Issue.record("'\(text)' is taken as \(value.text)")
        } catch {
            #expect(error.cause == cause && error.offset == offset, "'\(text)': \(error)")
            #expect(!error.description.contains { $0.isNewline } && !error.description.isEmpty)
        }
    }

    private static let notUTF8: [(bytes: [UInt8], offset: Int)] = [
        ([0xFF], 2), ([0x61, 0x80], 3), ([0xC0, 0x80], 2), ([0xE0, 0x80, 0x80], 2), ([0xC3], 2), ([0xE2, 0x82], 2),
        ([0xED, 0xA0, 0x80], 2), ([0xF4, 0x90, 0x80, 0x80], 2), ([0xF8, 0x88, 0x80, 0x80, 0x80], 2),
        ([0xC3, 0xA9, 0xE9], 4), ([0xC3, 0x5C, 0x6E, 0xA9], 2),
    ]

    @Test(arguments: notUTF8.indices) func whatIsNotUTF8IsRefused(index: Int) {
        let (bytes, offset) = Self.notUTF8[index]
        let text = Array("[\"".utf8) + bytes + Array("\"]".utf8)
        do throws(JSONError) {
            let value = try JSONValue(parsing: text, byteLimit: 100)
            Issue.record("\(bytes) is taken as \(value.text)")
        } catch {
            #expect(error.cause == .notUTF8 && error.offset == offset, "\(error)")
        }
        // Nor outside of strings, as UTF-16, or in a member's name.
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes, byteLimit: 100) }
        let member = Array("{\"".utf8) + bytes + Array("\":1}".utf8)
        #expect(throws: JSONError.self) { try JSONValue(parsing: member, byteLimit: 100) }
    }

    @Test func depthAndLengthAreBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONValue(parsing: nested(JSONValue.depthLimit), byteLimit: 1_000)
        for text in [nested(JSONValue.depthLimit + 1), String(repeating: "[", count: 100_000)] {
            do throws(JSONError) {
                _ = try JSONValue(parsing: text, byteLimit: .max)
                Issue.record("taken")
            } catch {
                #expect(error.cause == .tooDeep && error.offset == JSONValue.depthLimit)
            }
        }
        let mixed = String(repeating: "{\"a\":[", count: 50_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: mixed, byteLimit: .max) }
        _ = try JSONValue(parsing: "[1]", byteLimit: 3)
        do throws(JSONError) {
            _ = try JSONValue(parsing: "[1]", byteLimit: 2)
            Issue.record("taken")
        } catch {
            #expect(error.cause == .tooLong(byteLimit: 2))
        }
    }

    /// Neither many members nor long numbers take more than time in proportion.
    @Test func largeTextsAreRead() throws {
        let count = 20_000
        let members = (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        #expect(try JSONValue(parsing: "{\(members)}", byteLimit: .max).members?.count == count)
        let digits = String(repeating: "9", count: 60_000)
        #expect(try JSONValue(parsing: "0.\(digits)", byteLimit: .max) == .integer(1))
        #expect(try JSONValue(parsing: "0.\(digits)e5", byteLimit: .max) == .integer(100_000))
        #expect(throws: JSONError.self) { try JSONValue(parsing: digits, byteLimit: .max) }
        let zeros = String(repeating: "0", count: 60_000)
        #expect(try JSONValue(parsing: "5.\(zeros)", byteLimit: .max) == .integer(5))
        #expect(try JSONValue(parsing: "5\(zeros)e-60000", byteLimit: .max) == .integer(5))
    }
}
