import AudioCore
import Testing
import WireProtocol

@testable import Discovery

@Suite(.timeLimit(.minutes(5))) struct PeerRecordTests {
    static let record = PeerRecord(
        id: UUIDBytes(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF), instance: 0xA1,
        name: "Küche", roles: .broadcaster, protocolVersion: 1, startedUnixMilliseconds: 1_790_000_000_123)

    static let golden = [
        "id=01234567-89ab-4def-8123-456789abcdef", "instance=00000000000000a1", "name=Küche", "role=broadcaster",
        "version=1", "started=1790000000123",
    ].map { Array($0.utf8) }

    @Test func writesTheGoldenStrings() {
        #expect(Self.record.txtStrings == Self.golden)
    }

    @Test func readsTheGoldenStrings() {
        #expect(PeerRecord(txtStrings: Self.golden) == Self.record)
    }

    @Test func leavesOutAStartThatIsNone() {
        var record = Self.record
        record.startedUnixMilliseconds = nil
        #expect(record.txtStrings == Self.golden.dropLast())
    }

    @Test(arguments: [PeerRoles.broadcaster, .listener, [.broadcaster, .listener], .pairing, []])
    func keepsEveryRole(roles: PeerRoles) {
        var record = Self.record
        record.roles = roles
        #expect(PeerRecord(txtStrings: record.txtStrings)?.roles == roles)
    }

    @Test func skipsUnknownKeysAndTakesTheFirstOfTwo() {
        let strings = [Array("colour=red".utf8), Array("flag".utf8)] + Self.golden + [Array("name=Other".utf8)]
        #expect(PeerRecord(txtStrings: strings) == Self.record)
    }

    /// A title that is read is not written again, either.
    @Test func whatEarlierVersionsSaidOfTheSongIsIgnored() {
        let strings = Self.golden + ["state=playing", "playing=Für Elise"].map { Array($0.utf8) }
        #expect(PeerRecord(txtStrings: strings) == Self.record)
        #expect(PeerRecord(txtStrings: strings)?.txtStrings == Self.golden)
    }

    @Test func keysCompareWithoutCase() {
        let strings = Self.golden.map { Array(String(decoding: $0, as: UTF8.self).utf8) }
        let shouted = strings.map { string in
            let end = string.firstIndex(of: UInt8(ascii: "="))!
            return Array(String(decoding: string[..<end], as: UTF8.self).uppercased().utf8) + string[end...]
        }
        #expect(PeerRecord(txtStrings: shouted) == Self.record)
    }

    @Test(arguments: ["id", "instance", "role", "version"])
    func isNoPeerWithout(key: String) {
        #expect(PeerRecord(txtStrings: Self.golden.filter { !$0.starts(with: Array("\(key)=".utf8)) }) == nil)
    }

    @Test(arguments: [
        "instance=", "instance=a1", "instance=00000000000000g1", "instance=+0000000000000a1",
        "instance=-0000000000000a1", "id=", "id=01234567-89ab-4def-8123-456789abcde", "role=boss", "role", "version=",
        "version=-1", "version=4294967296", "version=1 ",
    ])
    func isNoPeerWith(string: String) {
        #expect(PeerRecord(txtStrings: [Array(string.utf8)] + Self.golden) == nil)
    }

    @Test func whatIsNotNeededFallsBack() {
        let strings = Self.golden.prefix(2) + Self.golden[3...4] + [Array("started=-5".utf8)]
        let record = PeerRecord(txtStrings: strings)
        #expect(record?.name == "")
        #expect(record?.startedUnixMilliseconds == nil)
    }

    @Test func longNamesAreCutAtAScalarBoundary() {
        var record = Self.record
        record.name = String(repeating: "ä", count: 40)  // 80 bytes
        #expect(PeerRecord(txtStrings: record.txtStrings)?.name == String(repeating: "ä", count: 31))
        // RFC 6763 section 6.2: a typical record is 200 bytes long or less.
        #expect(record.txtStrings.reduce(0) { $0 + 1 + $1.count } < 200)
    }

    @Test func textCannotSteerATerminal() {
        let strings = [Array("name=a\u{1B}[2Jb\u{202E}c\n".utf8)] + Self.golden
        #expect(PeerRecord(txtStrings: strings)?.name == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}")
    }

    @Test func invalidUTF8IsRepaired() {
        let strings = [Array("name=".utf8) + [0x41, 0xFF, 0xC3]] + Self.golden
        #expect(PeerRecord(txtStrings: strings)?.name == "A\u{FFFD}\u{FFFD}")
    }

    @Test func oversizedStringsAndTooManyAreIgnored() {
        let filler = [[UInt8]](repeating: Array("x=1".utf8), count: DiscoveryLimits.txtStringCount)
        #expect(PeerRecord(txtStrings: filler + Self.golden) == nil)
        let long = [Array("name=".utf8) + [UInt8](repeating: 0x41, count: 251)]
        #expect(PeerRecord(txtStrings: long + Self.golden) == Self.record)
    }

    @Test(arguments: UInt64(0)..<20)
    func randomDamageNeverTrapsAndWhatIsReadCanBeWritten(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            var strings = Self.golden
            for _ in 0..<Int.random(in: 1...6, using: &random) { random.damage(&strings) }
            guard let record = PeerRecord(txtStrings: strings) else { continue }
            #expect(PeerRecord(txtStrings: record.txtStrings) == record, "seed \(seed): \(strings)")
        }
    }
}

extension SplitMix64 {
    /// One small change somewhere in the strings.
    fileprivate mutating func damage(_ strings: inout [[UInt8]]) {
        guard let index = strings.indices.randomElement(using: &self) else { return }
        let place = Int.random(in: 0...strings[index].count, using: &self)
        switch Int.random(in: 0..<5, using: &self) {
        case 0: strings[index].insert(UInt8.random(in: 0...255, using: &self), at: place)
        case 1: strings[index].removeSubrange(place...)
        case 2: strings.swapAt(index, Int.random(in: 0..<strings.count, using: &self))
        case 3: strings[index] += [UInt8](repeating: UInt8.random(in: 0...255, using: &self), count: 200)
        default: if place < strings[index].count { strings[index][place] = UInt8.random(in: 0...255, using: &self) }
        }
    }
}
