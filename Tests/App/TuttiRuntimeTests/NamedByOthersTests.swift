import Broadcasting
import Programmes
import Testing

@testable import TuttiRuntime

/// What a list from somebody else's server may name.
@Suite(.timeLimit(.minutes(5)))
struct NamedByOthersTests {
    private func locations(_ names: [String]) -> [String]? {
        let event = SourceEvent.list(names.map { NewItem(song: $0) }).asNamedByOthers
        guard case .list(let items) = event else { return nil }
        return items.map { item in
            guard case .web(let address) = item.location else { return "not limited: \(item.location)" }
            return address.text
        }
    }

    @Test func everyNameIsOpenedAsThoughItHadBeenAdded() {
        #expect(
            locations(["http://a/1.mp3", "http://127.0.0.1/my secret.wav"]) == [
                "http://a/1.mp3", "http://127.0.0.1/my%20secret.wav",
            ])
    }

    /// No such name could be added by itself.
    @Test(arguments: [
        "/etc/passwd", "-", "http://a/" + String(repeating: "x", count: 4_000), "http://:80/", "http://a/\u{7}",
    ])
    func whatCannotBeAddedIsLeftOut(name: String) {
        #expect(locations(["http://a/1.mp3", name]) == ["http://a/1.mp3"])
        guard case .failed(_, .nothing) = SourceEvent.list([NewItem(song: name)]).asNamedByOthers else {
            Issue.record("it leads somewhere")
            return
        }
    }

    @Test func otherEventsStay() {
        guard case .title("x") = SourceEvent.title("x").asNamedByOthers else {
            Issue.record("another event")
            return
        }
    }
}
