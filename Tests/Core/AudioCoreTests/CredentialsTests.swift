import AudioCore
import Testing

/// Addresses as they are shown.
@Suite(.timeLimit(.minutes(5)))
struct CredentialsTests {
    @Test(arguments: [
        ("http://me:secret@host/", "http://host/"),
        ("http://me:secret@host", "http://host"),
        ("https://me@host:8000/a@b?c@d#e@f", "https://host:8000/a@b?c@d#e@f"),
        ("http://me@home:secret@host/a", "http://host/a"),
        ("HTTP://me:secret@[fe80::1]:80/a@b", "HTTP://[fe80::1]:80/a@b"),
        ("ftp://me:secret@host", "ftp://host"),
        ("http://\u{301}me:secret@\u{301}host/", "http://\u{301}host/"),
    ]) func credentialsAreLeftOut(url: String, shown: String) {
        #expect(url.withoutCredentials == shown)
        let sentence = "'list' names '\(url)': no; nor '\(url)'"
        #expect(sentence.withoutCredentials == "'list' names '\(shown)': no; nor '\(shown)'")
    }

    /// `/`, `?` and `#` end the authority of a URL: these are none, and people type them all the same.
    @Test(arguments: ["http://me:sec/ret@host/a", "http://me:sec?ret@host/a", "http://me:#secret@host/a"])
    func passwordsThatAreNotEncodedAreLeftOut(url: String) {
        #expect(url.withoutCredentials == "http://host/a")
    }

    @Test(arguments: [
        "http://host/a@b", "http://host:8000/a@b", "http://host:/a@b", "http://[fe80::1]/a@b", "a@b", "://", "",
        "me:secret@host",
        "/music/a://b/c@d.mp3",
    ]) func textWithoutCredentialsStays(text: String) {
        #expect(text.withoutCredentials == text)
    }

    /// As long as a configuration may be: each address is looked at once.
    @Test func aTextOfManyAddressesIsReadInItsTime() {
        let text = String(repeating: "://a:b/", count: 150_000)
        #expect(text.withoutCredentials == text)
        #expect((text + "@c").withoutCredentials == "://c")
    }
}
