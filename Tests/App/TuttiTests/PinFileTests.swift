import Glibc
import Peering
import SecureChannel
import Testing
import TuttiRuntime

@testable import tutti

/// Which name belongs to which key, on the disk.
@Suite(.timeLimit(.minutes(5))) struct PinFileTests {
    private let temporary = TemporaryDirectory()
    private var directory: StateDirectory { StateDirectory(path: temporary.path + "/a/tutti") }
    private var file: PinFile { PinFile(directory: directory) }
    private var path: String { directory.path(of: PinFile.fileName) }
    private let key = PeerKeyPair.random().key

    private func peer(_ text: String, isNamed: Bool = false) throws -> MetPeer {
        MetPeer(try #require(PeerName(text)), key, isNamed: isNamed)
    }

    @Test func whatIsNotedIsThereTheNextTimeAndForItsOwnerAlone() throws {
        #expect(try file.load().all.isEmpty && access(path, F_OK) != 0)
        let stored = try file.note([peer("Living Room", isNamed: true), peer("Attic\t\u{1B}é")], at: 1_700_000_000)
        #expect(try file.load() == stored && stored.all.count == 2)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try file.note([peer("Cellar")], at: 1_700_000_001).all.count == 3)
        #expect(
            try directory.read(PinFile.fileName).map { String(decoding: $0, as: UTF8.self) } == """
                tutti peers 1
                \(key)\t1700000001\tmet\tCellar
                \(key)\t1700000000\tmet\tAttic\u{FFFD}\u{FFFD}é
                \(key)\t1700000000\tnamed\tLiving Room

                """)
    }

    @Test func whatChangesNothingIsNotWritten() throws {
        _ = try file.note([peer("Attic")], at: 1_000)
        let before = try directory.status(of: PinFile.fileName)
        _ = try file.note([peer("Attic")], at: 1_001)
        #expect(try directory.status(of: PinFile.fileName) == before)
        _ = try file.note([peer("Attic")], at: 100_000)
        #expect(try directory.status(of: PinFile.fileName) != before)
    }

    @Test func aFullFileIsReadBack() throws {
        let longest = String(repeating: "\u{1}", count: 60)
        let peers = try (0..<PinnedNames.capacity).map { try peer("\($0)\(longest)", isNamed: true) }
        let stored = try file.note(peers, at: .min)
        #expect(stored.all.count == PinnedNames.capacity)
        #expect(try file.load() == stored)
    }

    @Test func aNameIsForgotten() throws {
        _ = try file.note([peer("Attic"), peer("Den")], at: 1_000)
        #expect(try file.forget(try #require(PeerName("attic"))).forgotten?.name.text == "Attic")
        #expect(try file.load().all.map(\.name.text) == ["Den"])
        let (forgotten, left) = try file.forget(try #require(PeerName("attic")))
        #expect(forgotten == nil && left.all.count == 1)
    }

    /// Cut anywhere, a bit changed anywhere, lines twice, and none at all.
    @Test func whatIsDamagedIsKeptAsideAndToldOf() throws {
        _ = try file.note([peer("Attic"), peer("Den", isNamed: true)], at: 1_000)
        let whole = try #require(try directory.read(PinFile.fileName))
        #expect(PinnedNames(text: whole)?.all.count == 2)
        let lines = whole.split(separator: UInt8(ascii: "\n"))
        let whats: [[UInt8]] =
            (0..<whole.count).map { Array(whole[..<$0]) }.filter { $0.last != UInt8(ascii: "\n") }
            + [whole + whole, whole + Array(lines[1]) + [10], whole + [10], [0xFF], whole + [0]]
        for bytes in whats { #expect(PinnedNames(text: bytes) == nil, "\(bytes.count) bytes") }
        try directory.write(whats[whole.count / 2], to: PinFile.fileName)
        let error = #expect(throws: MemoryFailure.self) { try file.load() }
        let kept = directory.path(of: "peers.damaged")
        #expect(
            error?.message == "\(path) was damaged and is now \(kept): "
                + "whoever comes next under a name is taken for its owner")
        #expect(try directory.read("peers.damaged") == whats[whole.count / 2])
        #expect(try file.load().all.isEmpty)
    }

    /// `tutti peers` lists who is there all the same.
    @Test func aListWarnsOnceOfWhatIsDamagedAndEachTimeOfWhatCannotBeRead() throws {
        var warnings: [String] = []
        let nobody = PeersCommand.pins(in: nil) { warnings.append($0) }
        #expect(nobody.all.isEmpty && warnings.isEmpty)
        try directory.write(Array("damaged".utf8), to: PinFile.fileName)
        for _ in 0..<2 {
            let pins = PeersCommand.pins(in: file) { warnings.append($0) }
            #expect(pins.all.isEmpty)
        }
        #expect(
            warnings == [
                "\(path) was damaged and is now \(directory.path(of: "peers.damaged")): "
                    + "whoever comes next under a name is taken for its owner"
            ])
        _ = try file.note([peer("Attic")], at: 1_000)
        let pins = PeersCommand.pins(in: file) { warnings.append($0) }
        #expect(pins.all.count == 1 && warnings.count == 1)
        chmod(path, 0o666)
        for _ in 0..<2 {
            let none = PeersCommand.pins(in: file) { warnings.append($0) }
            #expect(none.all.isEmpty && warnings.last?.contains("chmod 600") == true)
        }
        #expect(warnings.count == 3)
    }

    /// No bytes trap, and whatever is accepted is what would be written.
    @Test func whateverIsReadIsWrittenTheSame() throws {
        _ = try file.note([peer("Attic"), peer("Den", isNamed: true)], at: 1_000)
        let whole = try #require(try directory.read(PinFile.fileName))
        var acceptedCount = 0
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << bit
                guard let pins = PinnedNames(text: bytes) else { continue }
                acceptedCount += 1
                #expect(pins.text == bytes)
            }
        }
        // Digits and letters that became others.
        #expect(acceptedCount > 0 && acceptedCount < 8 * whole.count)
    }

    @Test func aFileThatOthersMayWriteIsRefused() throws {
        _ = try file.note([peer("Attic")], at: 1_000)
        chmod(path, 0o666)
        let error = #expect(throws: MemoryFailure.self) { try file.load() }
        #expect(error?.message.contains("chmod 600") == true)
        #expect(throws: MemoryFailure.self) { try file.note([peer("Den")], at: 1_000) }
    }
}
