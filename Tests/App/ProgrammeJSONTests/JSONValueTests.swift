import ProgrammeJSON
import StreamTestKit
import Testing

/// JSON as it is written, and read again.
@Suite(.timeLimit(.minutes(5))) struct JSONValueTests {
    private static let texts: [(value: JSONValue, text: String)] = [
        (.null, "null"), (.bool(true), "true"), (.integer(-7), "-7"), (.number(1.25, decimals: 1), "1.3"),
        (.number(.nan, decimals: 1), "null"), (.number(-.infinity, decimals: 1), "null"),
        (.number(-0.01, decimals: 1), "0.0"), (.double(0.1), "0.1"), (.double(-1e300), "-1e+300"),
        (.double(.nan), "null"), (.double(.infinity), "null"),
        (.string("a\"b\\c"), #""a\"b\\c""#), (.string("\n\r\t"), #""\n\r\t""#),
        (.string("\u{0}\u{1B}\u{7F}\u{9B}"), #""\u0000\u001b\u007f\u009b""#),
        (.string("\u{202E}\u{2028}"), #""\u202e\u2028""#), (.string("\u{E0041}"), #""\udb40\udc41""#),
        (.string("é音👍"), "\"é音👍\""), (.array([.integer(1), .null]), "[1,null]"), (.array([]), "[]"),
        (.object(["k": .string("v"), "l": .array([])]), #"{"k":"v","l":[]}"#),
    ]

    @Test(arguments: texts.indices) func text(index: Int) {
        #expect(Self.texts[index].value.text == Self.texts[index].text)
    }

    @Test func partsAreOfOneKind() throws {
        let value = try JSONValue(
            parsing: #"{"s":"t","i":5,"d":0.5,"b":false,"a":[1],"o":{},"n":null}"#, byteLimit: 100)
        #expect(value.member("s")?.string == "t" && value.member("i")?.string == nil)
        #expect(value.member("i")?.integer == 5 && value.member("d")?.integer == nil)
        #expect(value.member("i")?.number == 5 && value.member("d")?.number == 0.5 && value.member("s")?.number == nil)
        #expect(value.member("b")?.bool == false && value.member("n")?.bool == nil)
        #expect(value.member("a")?.array == [.integer(1)] && value.member("o")?.array == nil)
        #expect(value.member("o")?.members == [] && value.members?.count == 7)
        #expect(value.member("n") == .null && value.member("x") == nil && JSONValue.null.member("s") == nil)
    }

    @Test func namesAreComparedByTheirCodePoints() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}", byteLimit: 100)
        #expect(value.member("\u{E9}") == .integer(1) && value.member("e\u{301}") == .integer(2))
    }

    /// Any value is read as it was written, and written as it was read.
    @Test(arguments: 0..<200 as Range<UInt64>) func aRoundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = Self.value(depth: 0, &generator)
        let read = try JSONValue(parsing: value.text, byteLimit: .max)
        #expect(read == value)
        #expect(read.text == value.text)
    }

    private static func value(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth < 6 ? 8 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        case 3:
            let value = Double(bitPattern: generator.next())
            // Whole numbers are integers.
            return value.isFinite && Int64(exactly: value) == nil ? .double(value) : .double(0.5)
        case 4, 5: return .string(text(&generator))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in value(depth: depth + 1, &generator) })
        default:
            return .object(
                (0..<Int.random(in: 0..<5, using: &generator)).map {
                    .init(key: "\($0)" + text(&generator), value: value(depth: depth + 1, &generator))
                })
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let highest: UInt32 = .random(in: 0..<3, using: &generator) == 0 ? 0x10_FFFF : 0x80
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...highest, using: &generator)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
