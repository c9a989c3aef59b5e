import AudioCore
import Glibc
import Listening
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// Rates and offsets on the disk.
@Suite(.timeLimit(.minutes(5))) struct MemoryStoreTests {
    private let temporary = TemporaryDirectory()
    private var directory: StateDirectory { StateDirectory(path: temporary.path + "/a/tutti") }
    private var store: MemoryStore { MemoryStore(directory: directory) }
    private let peer = MemorySubject.clock(UUIDBytes(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF))

    private func stored() throws -> [MemorySubject: MemoryRecord] { try store.load().records }

    @Test func whatIsKeptIsThereTheNextTime() throws {
        #expect(try stored().isEmpty)
        let records: [MemorySubject: MemoryRecord] = [
            peer: MemoryRecord(value: 12.345, unixSeconds: 1_700_000_000),
            .card("hw:1, Ümlaut Audio at 48000"): MemoryRecord(value: -34.2, unixSeconds: 1_700_000_001),
            .offset("hw:1, Ümlaut Audio"): MemoryRecord(value: -35_000, unixSeconds: 1_700_000_002),
            .volume("hw:1, Ümlaut Audio"): MemoryRecord(value: 40, unixSeconds: 1_700_000_003),
            .muted("hw:1, Ümlaut Audio"): MemoryRecord(value: 1, unixSeconds: 1_700_000_004),
            .role("hw:1, Ümlaut Audio"): MemoryRecord(value: -1, unixSeconds: 1_700_000_005),
        ]
        for (subject, record) in records { try store.keep(record, of: subject) }
        #expect(try stored() == records)
        try store.keep(nil, of: .offset("hw:1, Ümlaut Audio"))
        #expect(try stored().count == 5)
    }

    @Test func formOfTheFile() {
        var file = MemoryFile()
        file.records[peer] = MemoryRecord(value: -12.3456, unixSeconds: 1_700_000_000)
        file.records[.card("a\tb\nc")] = MemoryRecord(value: 1, unixSeconds: 5)
        #expect(
            String(decoding: file.bytes, as: UTF8.self) == """
                clock\t-12.346\t1700000000\t00112233-4455-6677-8899-aabbccddeeff
                card\t1.000\t5\ta\u{FFFD}b\u{FFFD}c

                """)
    }

    @Test(arguments: [
        "", "\n\n", "clock", "clock\t1\t2", "clock\tx\t2\t00112233-4455-6677-8899-aabbccddeeff", "clock\t1\t2\tnobody",
        "clock\tnan\t2\t00112233-4455-6677-8899-aabbccddeeff", "card\tinf\t2\tx", "card\t1e300\t2\tx",
        "tempo\t1\t2\tx", "card\t1\t99999999999999999999\tx", "\u{0}\u{FF}\t\t\t",
    ])
    func brokenLinesAreLeftOut(text: String) throws {
        try directory.write(Array("\(text)\ncard\t7\t8\tgood\n".utf8), to: MemoryStore.fileName)
        #expect(try stored() == [.card("good"): MemoryRecord(value: 7, unixSeconds: 8)])
        try store.keep(MemoryRecord(value: 1, unixSeconds: 1), of: peer)
        #expect(try stored().count == 2)
    }

    @Test func noiseIsNoMemory() throws {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<60_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try directory.write(noise, to: MemoryStore.fileName)
        #expect(try store.load().damage == MemoryDamage(path: directory.path(of: MemoryStore.fileName)))
        let record = MemoryRecord(value: 1, unixSeconds: 1)
        let damage = try store.keep(record, of: peer)
        #expect(damage?.keptAs == directory.path(of: "memory.damaged"))
        #expect(try directory.read("memory.damaged") == noise)
        #expect(try stored()[peer] == record)
        #expect(try store.load().damage == nil)
        #expect(try store.keep(record, of: peer) == nil)
    }

    /// Lines of a later version are none.
    @Test(arguments: [
        ("tempo\t1\t2\tx", false), ("\n\n", false), ("card\t7\t8", true), ("clock\t1\t2\tnobody", true),
        ("card\t1e300\t2\tx", true),
    ])
    func onlyWhatMakesNoSenseIsDamage(line: String, isDamaged: Bool) throws {
        try directory.write(Array("card\t7\t8\tgood\n\(line)\n".utf8), to: MemoryStore.fileName)
        #expect((try store.load().damage != nil) == isDamaged)
        #expect((try store.keep(MemoryRecord(value: 1, unixSeconds: 1), of: peer) != nil) == isDamaged)
        #expect(try stored().count == 2)
    }

    @Test func theLeastRecentlyUsedGo() throws {
        var file = MemoryFile()
        for index in 0..<100 {
            let name = String(repeating: "x", count: 250) + "\(index)"
            file.records[.card(name)] = MemoryRecord(value: Double(index), unixSeconds: Int64(index))
            for subject in [MemorySubject.offset(name), .volume(name), .muted(name), .role(name)] {
                file.records[subject] = MemoryRecord(value: -1_000_000, unixSeconds: Int64(-index))
            }
        }
        for low in 0..<100 {
            file.records[.clock(UUIDBytes(high: 1, low: UInt64(low)))] = MemoryRecord(value: -1_200, unixSeconds: 0)
        }
        #expect(file.bytes.count < StateDirectory.fileByteCountLimit)
        let kept = MemoryFile(file.bytes).records
        #expect(kept.count == 6 * MemoryFile.capacity)
        let cards = kept.compactMap { if case .card = $0.key { $0.value.unixSeconds } else { nil } }
        #expect(cards.min() == 36)
    }

    @Test func processesThatWriteAtTheSameMomentLoseNothing() async throws {
        let store = store
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<32 {
                group.addTask {
                    _ = try? store.keep(MemoryRecord(value: Double(index), unixSeconds: 1), of: .card("card \(index)"))
                }
            }
        }
        #expect(try stored().count == 32)
        #expect(TemporaryDirectory.names(in: directory.path) == [MemoryStore.fileName])
    }

    /// A directory can be opened, and not be read.
    @Test func whatCannotBeReadSaysSo() throws {
        #expect(mkdir(temporary.path + "/a", 0o700) == 0 && mkdir(directory.path, 0o700) == 0)
        let path = directory.path(of: MemoryStore.fileName)
        #expect(mkdir(path, 0o700) == 0)
        let failure = #expect(throws: MemoryFailure.self) { try store.load() }
        #expect(failure?.message.hasPrefix("cannot read \(path): ") == true)
    }

    @Test func aPlaceThatCannotBeWrittenSaysSo() throws {
        let file = StateDirectory(path: temporary.path)
        try file.write([1], to: "file")
        let store = MemoryStore(directory: StateDirectory(path: file.path(of: "file") + "/tutti"))
        #expect(try store.load() == MemoryContents())
        let failure = #expect(throws: MemoryFailure.self) {
            try store.keep(MemoryRecord(value: 1, unixSeconds: 1), of: peer)
        }
        #expect(failure?.message.contains("file") == true)
    }
}
