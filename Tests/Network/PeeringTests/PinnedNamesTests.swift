import Peering
import SecureChannel
import Testing

@Suite(.timeLimit(.minutes(5))) struct PinnedNamesTests {
    private let key = PeerKeyPair.random().key
    private let other = PeerKeyPair.random().key

    private func name(_ text: String) throws -> PeerName { try #require(PeerName(text)) }

    private func peer(_ text: String, isNamed: Bool = false) throws -> MetPeer {
        MetPeer(try name(text), key, isNamed: isNamed)
    }

    /// As many names as there may be, met one after the other from `start` on.
    private func full(isNamed: Bool = false, from start: Int64 = 1_000) throws -> PinnedNames {
        var pins = PinnedNames()
        for number in 0..<PinnedNames.capacity {
            #expect(pins.note(try peer("Peer \(number)", isNamed: isNamed), at: start + Int64(number)))
        }
        return pins
    }

    @Test(arguments: [
        ("Kitchen", " kitchen\u{A0}\n"), ("Kitchen", "KITCHEN"), ("Caf\u{E9}", "cafe\u{301}"), ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"), ("\u{212B}ngstr\u{F6}m", "\u{E5}ngstro\u{308}m"), ("İstanbul", "i̇stanbul"),
    ])
    func waysOfWritingOneName(one: String, another: String) throws {
        #expect(try name(one) == name(another))
        #expect(try name(one).hashValue == name(another).hashValue)
    }

    @Test(arguments: [
        ("Kitchen", "Kitchen #2"), ("Kitchen", "Kitch en"), ("Kitchen", "K\u{456}tchen"),
        ("Kitchen", "Kitchen\u{200B}"),
    ])
    func namesThatDiffer(one: String, another: String) throws { #expect(try name(one) != name(another)) }

    @Test func aNameIsKeptAsItCanBeShown() throws {
        #expect(PeerName("") == nil && PeerName(" \t\n") == nil)
        #expect(try name("  Living Room ").text == "Living Room")
        #expect(try name("a\u{1B}b\tc").text == "a\u{FFFD}b\u{FFFD}c")
        // The longest that a greeting can have.
        #expect(try name(String(repeating: "\u{1}", count: 63)).text.count == 63)
        // What is cut behind a space ends with it no more, so that what is stored is read back the same.
        let cut = try name(String(repeating: "a", count: PeerName.byteCountLimit - 1) + " b")
        #expect(cut.text == String(repeating: "a", count: PeerName.byteCountLimit - 1))
    }

    @Test func aNameBelongsToItsFirstKey() throws {
        var pins = PinnedNames()
        #expect(pins.judge(try name("Kitchen"), key) == .new)
        #expect(pins.note(try peer("Kitchen"), at: 5))
        #expect(pins.judge(try name("kitchen"), key) == .known)
        guard case .anotherKey(let pin) = pins.judge(try name("kitchen"), other) else {
            Issue.record("taken for its owner")
            return
        }
        #expect(pin.name.text == "Kitchen" && pin.key == key && pin.lastMet == 5 && !pin.isNamed)
        // Whoever comes later does not get it, not even if the user names it.
        #expect(!pins.note(MetPeer(try name("Kitchen"), other, isNamed: true), at: 1_000_000))
        #expect(pins.judge(try name("Kitchen"), key) == .known)
        #expect(pins.forget(try name("KITCHEN"))?.key == key)
        #expect(pins.forget(try name("Kitchen")) == nil)
        #expect(pins.judge(try name("Kitchen"), other) == .new)
    }

    /// A machine's second process, and a machine of two names.
    @Test func aKeyMayHaveSeveralNames() throws {
        var pins = PinnedNames()
        pins.note(try peer("Kitchen"), at: 5)
        #expect(!pins.note(try peer("Kitchen"), at: 6))
        #expect(pins.note(try peer("Kitchen (recording)"), at: 7))
        #expect(pins.all.count == 2)
    }

    @Test func aMeetingIsNotedOnceADayOrWhenTheNameIsNamed() throws {
        var pins = PinnedNames()
        let day: Int64 = 86_400
        #expect(pins.note(try peer("Kitchen"), at: 100))
        #expect(!pins.note(try peer("Kitchen"), at: 100 + day))
        #expect(pins.note(try peer("Kitchen"), at: 101 + day))
        #expect(pins.all.map(\.lastMet) == [101 + day])
        #expect(pins.note(try peer("Kitchen", isNamed: true), at: 102 + day))
        #expect(!pins.note(try peer("Kitchen"), at: 103 + day))
        #expect(pins.all.map(\.isNamed) == [true])
        // A clock that was ahead, and the ends of the numbers.
        for time: Int64 in [0, .max, 0, .min] { #expect(pins.note(try peer("Kitchen"), at: time)) }
    }

    @Test func theNameUnmetForLongestMakesRoom() throws {
        var pins = try full()
        pins.note(try peer("Peer 0"), at: 1_000_000)
        #expect(pins.note(try peer("Newcomer"), at: 1_000_001))
        #expect(pins.all.count == PinnedNames.capacity)
        #expect(pins.judge(try name("Peer 1"), other) == .new)
        for kept in ["Peer 0", "Peer 2", "Newcomer"] { #expect(pins.judge(try name(kept), key) == .known) }
    }

    @Test func namesThatTheUserNamedAreKeptLongest() throws {
        var pins = try full()
        pins.note(try peer("Peer 0", isNamed: true), at: 1_000)
        for number in 0..<2 * PinnedNames.capacity { pins.note(try peer("Stranger \(number)"), at: 1_000_000) }
        #expect(pins.all.count == PinnedNames.capacity)
        #expect(pins.judge(try name("Peer 0"), key) == .known)
        #expect(pins.judge(try name("Peer 1"), key) == .new)
    }

    @Test func aNameThatWasOnlyMetTakesNoPlaceOfANamedOne() throws {
        var pins = try full(isNamed: true)
        #expect(!pins.note(try peer("Stranger"), at: 1_000_000))
        #expect(pins.judge(try name("Peer 0"), key) == .known)
        #expect(pins.note(try peer("Wanted", isNamed: true), at: 1_000_000))
        #expect(pins.judge(try name("Peer 0"), key) == .new)
    }

    @Test func whatIsReadIsBoundedAndHasEachNameOnce() throws {
        let all = Array(try full().all)
        #expect(PinnedNames(all)?.all.count == PinnedNames.capacity)
        #expect(PinnedNames(all + [PinnedNames.Pin(try peer("One more"), lastMet: 0)]) == nil)
        let twice = try ["Kitchen", "KITCHEN"].map { PinnedNames.Pin(try peer($0), lastMet: 0) }
        #expect(PinnedNames(twice) == nil)
    }
}
