import AudioCore
import Glibc
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// A temporary directory that goes away with the test.
final class TemporaryDirectory {
    let path: String

    init() {
        var template = Array("/tmp/tutti-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            mkdtemp(buffer.baseAddress!).map { String(cString: $0) } ?? "/nonexistent"
        }
    }

    deinit { Self.remove(path) }

    /// Names in a directory; empty where it is none.
    static func names(in path: String) -> [String] {
        guard let handle = opendir(path) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func remove(_ path: String) {
        for name in names(in: path) { remove("\(path)/\(name)") }
        Glibc.remove(path)
    }
}

/// The peer's UUID on the disk.
@Suite(.timeLimit(.minutes(5))) struct IdentityStoreTests {
    private let temporary = TemporaryDirectory()
    private var directory: StateDirectory { StateDirectory(path: temporary.path + "/a/tutti") }
    private var store: IdentityStore { IdentityStore(directory: directory, hostName: "den") }

    @Test func isMadeOnceAndKept() throws {
        let first = store.identity()
        let second = store.identity()
        #expect(first.warnings.isEmpty && second.warnings.isEmpty)
        #expect(first.identity.peer == second.identity.peer)
        #expect(first.identity.instance != second.identity.instance)
        #expect(first.identity.name == "den")
        #expect(try directory.read("identity") == Array("\(first.identity.peer)\n".utf8))
    }

    @Test func fileIsForTheUserAlone() throws {
        _ = store.identity()
        var status = stat()
        #expect(stat(directory.path(of: "identity"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func manyAtTheSameMomentAgree() async {
        let store = store
        let peers = await withTaskGroup(of: UUIDBytes.self) { group in
            for _ in 0..<32 { group.addTask { store.identity().identity.peer } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(peers.count == 1)
        #expect(TemporaryDirectory.names(in: directory.path) == ["identity"])
    }

    @Test(arguments: ["", "not a uuid", "00000000-0000-0000-0000-000000000000\n", "\u{FF}\u{0}"])
    func damagedFileIsMadeAnewWithAWarning(contents: String) throws {
        try directory.write(Array(contents.utf8), to: "identity")
        let repaired = store.identity()
        #expect(repaired.warnings.count == 1)
        #expect(repaired.warnings.first?.contains("was damaged") == true)
        let next = store.identity()
        #expect(next.warnings.isEmpty)
        #expect(next.identity.peer == repaired.identity.peer)
    }

    @Test func manyWhoFindADamagedFileAgree() async throws {
        try directory.write([0], to: "identity")
        let store = store
        let peers = await withTaskGroup(of: UUIDBytes.self) { group in
            for _ in 0..<32 { group.addTask { store.identity().identity.peer } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(peers.count == 1)
    }

    @Test func whereNothingCanBeKeptTheProcessHasItsOwn() throws {
        let file = StateDirectory(path: temporary.path)
        try file.write([1], to: "file")
        let store = IdentityStore(directory: StateDirectory(path: file.path(of: "file") + "/tutti"), hostName: "den")
        let first = store.identity()
        #expect(first.warnings.count == 1)
        #expect(first.identity.peer != store.identity().identity.peer)
    }

    @Test func withoutAHomeTheProcessHasItsOwn() {
        let loaded = IdentityStore(directory: nil, hostName: "den").identity()
        #expect(loaded.warnings.count == 1)
        #expect(loaded.identity.peer != UUIDBytes(high: 0, low: 0))
    }

    @Test func aFIFOInTheWayDoesNotBlock() throws {
        try directory.write([], to: "other")
        #expect(mkfifo(directory.path(of: "identity"), 0o600) == 0)
        #expect(store.identity().warnings.count == 1)
    }

    @Test func hostNameIsCutToWhatMDNSCarries() {
        let name = IdentityStore(directory: nil, hostName: String(repeating: "ä", count: 40)).identity().identity.name
        #expect(name == String(repeating: "ä", count: 31))
    }
}
