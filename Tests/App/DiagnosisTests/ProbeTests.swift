import AudioCore
import Glibc
import HostSystem
import StreamTestKit
import Synchronization
import Testing

@testable import Diagnosis

/// What is read of this machine, and of the network's answers.
@Suite(.timeLimit(.minutes(5))) struct ProbeTests {
    // MARK: DNS

    /// An answer with one address record, whose name points to the question's.
    private func answer(id: UInt16 = 7, flags: UInt8 = 0x84, _ address: [UInt8] = [10, 0, 0, 9]) throws -> [UInt8] {
        var bytes = try #require(MDNSMessage.question(forAddressesOf: "Kitchen.local", id: id))
        bytes[2] = flags
        bytes[7] = 1
        return bytes + [0xC0, 12, 0, 1, 0x80, 1, 0, 0, 0, 10, 0, UInt8(address.count)] + address
    }

    @Test func anAddressIsRead() throws {
        let found = MDNSMessage.addresses(in: try answer(), id: 7)
        #expect(found == [MDNSMessage.Address(host: "kitchen.local", address: "10.0.0.9")])
    }

    @Test func whatIsNoAnswerIsPassedOver() throws {
        #expect(MDNSMessage.addresses(in: try answer(), id: 8) == nil)
        #expect(MDNSMessage.addresses(in: try answer(flags: 0), id: 7) == nil)
        #expect(MDNSMessage.addresses(in: try answer([1, 2, 3]), id: 7) == [])
        #expect(MDNSMessage.addresses(in: [], id: 7) == nil)
    }

    /// Cut anywhere, or with any byte changed, it is read to an end.
    @Test func anyBytesAreReadToAnEnd() throws {
        let whole = try answer()
        for count in 0..<whole.count { _ = MDNSMessage.addresses(in: Array(whole[..<count]), id: 7) }
        for place in whole.indices {
            for byte in [UInt8(0), 0x3F, 0x40, 0x80, 0xC0, 0xFF] {
                var bytes = whole
                bytes[place] = byte
                _ = MDNSMessage.addresses(in: bytes, id: 7)
            }
        }
        // A name that points to itself.
        var loop = whole
        (loop[12], loop[13]) = (0xC0, 12)
        #expect(MDNSMessage.addresses(in: loop, id: 7) == nil)
    }

    @Test func namesThatDNSCannotCarryAreNotAsked() {
        #expect(MDNSMessage.question(forAddressesOf: "a..local", id: 1) == nil)
        #expect(MDNSMessage.question(forAddressesOf: "", id: 1) == nil)
        #expect(MDNSMessage.question(forAddressesOf: String(repeating: "x", count: 64), id: 1) == nil)
        #expect(MDNSMessage.question(forAddressesOf: String(repeating: "xy.", count: 90), id: 1) == nil)
    }

    // MARK: /proc

    @Test func socketsAreRead() {
        let listening: Substring =
            "   0: 00000000:70D4 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100"
        let socket = BoundSocket(line: listening, onlyListening: true)
        #expect(socket?.port == 28_884 && socket?.inode == 4_711 && socket?.user == 1_000)
        let connected = Substring(listening.map { $0 == "A" ? "1" : $0 })
        #expect(BoundSocket(line: connected, onlyListening: true) == nil)
        #expect(BoundSocket(line: connected, onlyListening: false) != nil)
        for line in ["", "0: x", "  sl  local_address rem_address   st tx_queue"] as [Substring] {
            #expect(BoundSocket(line: line, onlyListening: false) == nil)
        }
    }

    @Test func theHolderOfASocketIsFound() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        let target = try #require(SystemFile.target(of: "/proc/self/fd/\(descriptor)"))
        let inode = try #require(UInt64(target.dropFirst("socket:[".count).dropLast()))
        let files = OpenFiles.look { false }
        #expect(files.holder(ofSocket: inode)?.process == getpid())
        #expect(OpenFiles.look { true }.isPartial)
    }

    // MARK: The state directory

    @Test func aStateDirectoryIsTriedAndLeftAsItWas() {
        let directory = TemporaryDirectory()
        let path = directory.path
        let facts = StateFacts.look(at: path)
        #expect(facts.writing == .works && (facts.freeByteCount ?? 0) > 0)
        #expect(SystemFile.names(in: path) == [])
    }

    @Test func oneThatIsNotThereIsNotMade() {
        let directory = TemporaryDirectory()
        let path = directory.path
        #expect(StateFacts.look(at: path + "/a/b").writing == .works)
        #expect(access(path + "/a", F_OK) != 0)
        // A file is in its place.
        #expect(StateFacts.look(at: "/dev/null/tutti").writing != .works)
    }

    /// Root is asked for an ordinary user, as by `sudo -E`.
    @Test(.enabled(if: geteuid() == 0)) func rootWritesNothingInAnothersDirectory() throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        #expect(chown(path, 65_534, 65_534) == 0)
        var before = stat()
        var after = stat()
        #expect(stat(path, &before) == 0)
        #expect(StateFacts.look(at: path).writing == .notTried(owner: 65_534))
        // One that is not there yet would be made in it.
        #expect(StateFacts.look(at: path + "/a/b").writing == .notTried(owner: 65_534))
        #expect(stat(path, &after) == 0 && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
        #expect(after.st_mtim.tv_sec == before.st_mtim.tv_sec)
    }

    // MARK: Threads

    @Test func aProbeThatHangsIsLeftBehind() {
        let quick = Probe("quick") { 1 }
        let slow = Probe("slow") {
            sleep(2)
            return 2
        }
        #expect(quick.facts(by: .now() + .seconds(10)) == 1)
        let begin = HostTime.now()
        #expect(slow.facts(by: begin + .milliseconds(50)) == nil)
        #expect(HostTime.now() - begin < .seconds(2))
    }

    // MARK: Side by side

    @Test func whatIsFoundStandsInTheOrderOfTheThings() {
        let found = SideBySide.look(at: Array(0..<100), atOnce: 7, by: .now() + .seconds(100), "test") { $0 * 2 }
        #expect(found == (0..<100).map { $0 * 2 })
        #expect(SideBySide.look(at: [Int](), atOnce: 7, by: .now() + .seconds(100), "test") { $0 } == [])
    }

    /// As many as may, and no more, are looked at at a time: all of them wait for each other.
    @Test func someAreLookedAtAtTheSameTime() {
        let inside = Atomic(0)
        let most = Atomic(0)
        let deadline = HostTime.now() + .seconds(100)
        let found = SideBySide.look(at: Array(0..<8), atOnce: 4, by: deadline, "test") { thing in
            let count = inside.add(1, ordering: .relaxed).newValue
            most.max(count, ordering: .relaxed)
            while most.load(ordering: .relaxed) < 4, HostTime.now() < deadline { usleep(100) }
            inside.subtract(1, ordering: .relaxed)
            return thing
        }
        #expect(found == Array(0..<8))
        #expect(most.load(ordering: .relaxed) == 4)
    }

    /// Many things that hang take no longer than the time there is; those beside them are found.
    @Test func whatHangsDoesNotHoldUpWhatDoesNot() {
        let begin = HostTime.now()
        let found = SideBySide.look(at: Array(0..<40), atOnce: 4, by: begin + .milliseconds(300), "test") { thing in
            if thing > 0 { sleep(3) }
            return thing
        }
        #expect(found.count == 40 && found[0] == 0 && found[1] == nil && found[39] == nil)
        #expect(HostTime.now() - begin < .seconds(3))
    }

    // MARK: Peers

    @Test func peersThatWereNotReachedAreNamed() {
        var probe = PeerProbe()
        #expect(probe.findings.map(\.id) == ["peers.none"])
        probe.late = ["Attic", "Den\u{7}"]
        probe.surplus = (0..<8).map { "p\($0)" }
        let found = probe.findings
        #expect(found.map(\.id) == ["peers.unfinished", "peers.more"])
        #expect(found[0].what.contains("'Attic', 'Den") && !found[0].what.contains("\u{7}"))
        #expect(found[1].what.contains("'p0'") && found[1].what.hasSuffix(" and 2 more"))
    }
}
