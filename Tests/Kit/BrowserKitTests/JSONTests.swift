import Testing

@testable import BrowserKit

/// What Tutti's reader reads and its writer writes, as browsers' messages need it.
@Suite(.timeLimit(.minutes(5)))
struct JSONTests {
    @Test(arguments: [
        ("null", "null"), (" [ true , false ] ", "[true,false]"), ("[]", "[]"), ("{}", "{}"),
        ("{\"b\":-1.5e2,\"a\":[{},7]}", "{\"a\":[{},7],\"b\":-150}"), ("\"\\u00e9\\n\\/\"", "\"é\\n/\""),
        ("\"\\ud83d\\ude00\"", "\"😀\""), ("0.25", "0.25"), ("1e300", "1e+300"),
    ]) func readsWhatItWrites(text: String, written: String) throws {
        let value = try #require(JSON(parsing: text.utf8))
        #expect(value.text == written)
        #expect(JSON(parsing: written.utf8) == value)
    }

    @Test(arguments: ["", "[1,]", "{\"a\":1,}", "{a:1}", "\"\\x\"", "1 2", "\"\n\""])
    func refusesWhatIsNoJSON(text: String) {
        #expect(JSON(parsing: text.utf8) == nil)
    }

    @Test func givesPartsAndNullForWhatIsNotThere() throws {
        let value = try #require(JSON(parsing: #"{"a":[1,"b",false],"c":{"d":2.5}}"#.utf8))
        #expect(value["a"][0] == 1 && value["a"][1].string == "b" && value["a"][2].boolean == false)
        #expect(value["a"].elements.count == 3 && value["c"]["d"].number == 2.5)
        #expect(value["a"][3] == .null && value["x"]["y"][0] == .null && value["c"].elements.isEmpty)
    }

    @Test func whatJSONDoesNotKnowBecomesNull() {
        #expect(JSON.array([.number(.infinity), .number(.nan), .number(-3)]).text == "[null,null,-3]")
    }

    @Test func decodesBase64() {
        #expect(decodedBase64("VHV0dGk=".utf8) == Array("Tutti".utf8))
        #expect(decodedBase64("/+8A".utf8) == [0xFF, 0xEF, 0])
        #expect(decodedBase64("".utf8) == [])
        #expect(decodedBase64("VH V".utf8) == nil)
    }
}
