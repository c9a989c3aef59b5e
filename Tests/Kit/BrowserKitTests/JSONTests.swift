import Testing

@testable import BrowserKit

@Suite(.timeLimit(.minutes(5)))
struct JSONTests {
    @Test(arguments: [
        ("null", "null"), (" [ true , false ] ", "[true,false]"), ("[]", "[]"), ("{}", "{}"),
        ("{\"b\":-1.5e2,\"a\":[{},7]}", "{\"a\":[{},7],\"b\":-150}"), ("\"\\u00e9\\n\\/\"", "\"é\\u000a/\""),
        ("\"\\ud83d\\ude00\"", "\"😀\""), ("\"\\ud83dx\"", "\"\u{FFFD}x\""), ("0.25", "0.25"),
    ]) func readsWhatItWrites(text: String, written: String) throws {
        let value = try #require(JSON(parsing: text.utf8))
        #expect(value.text == written)
        #expect(JSON(parsing: written.utf8) == value)
    }

    @Test(arguments: [
        "", "[", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "tru", "\"", "\"\\x\"", "\"\\u12\"", "1 2", "-", "\"\n\"",
    ]) func refusesWhatIsNoJSON(text: String) {
        #expect(JSON(parsing: text.utf8) == nil)
    }

    @Test func refusesWhatIsNestedTooDeeply() {
        #expect(JSON(parsing: String(repeating: "[", count: 100_000).utf8) == nil)
        let nested = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(JSON(parsing: nested.utf8)?.text == nested)
    }

    @Test func decodesBase64() {
        #expect(decodedBase64("VHV0dGk=".utf8) == Array("Tutti".utf8))
        #expect(decodedBase64("/+8A".utf8) == [0xFF, 0xEF, 0])
        #expect(decodedBase64("".utf8) == [])
        #expect(decodedBase64("VH V".utf8) == nil)
    }
}
