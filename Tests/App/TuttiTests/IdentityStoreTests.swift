import Glibc
import SecureChannel
import Testing
import TuttiRuntime

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

/// The peer's key on the disk.
@Suite(.timeLimit(.minutes(5))) struct IdentityStoreTests {
    private let temporary = TemporaryDirectory()
    private var directory: StateDirectory { StateDirectory(path: temporary.path + "/a/tutti") }
    private var store: IdentityStore { IdentityStore(directory: directory, hostName: "den") }
    private var path: String { directory.path(of: "key") }

    /// The seed of RFC 8032, section 7.1, test 1; the UUID was computed by a program of its own from its X25519 key,
    /// d85e07ec22b0ad881537c2f44d662d1a143cf830c57aca4305d85c7a90f6b62e.
    private static let text = """
        tutti key 1
        9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60
        6b5a5fda-058a-87a1-a632-476c4c43c185

        """

    @Test func isMadeOnceAndKept() throws {
        let first = try store.identity()
        let second = try store.identity()
        #expect(first.warnings.isEmpty && second.warnings.isEmpty)
        #expect(first.identity.keys.key == second.identity.keys.key)
        #expect(first.identity.peer == first.identity.keys.key.uuid && first.identity.peer == second.identity.peer)
        #expect(first.identity.instance != second.identity.instance)
        #expect(first.identity.name == "den")
        let text = String(decoding: try #require(try directory.read("key")), as: UTF8.self)
        #expect(text.hasPrefix("tutti key 1\n") && text.hasSuffix("\n\(first.identity.peer)\n"))
    }

    @Test func formOfTheFile() throws {
        try directory.write(Array(Self.text.utf8), to: "key")
        let loaded = try store.identity()
        #expect(loaded.warnings.isEmpty)
        #expect("\(loaded.identity.peer)" == "6b5a5fda-058a-87a1-a632-476c4c43c185")
        #expect(
            "\(loaded.identity.keys.key)" == "d85e07ec22b0ad881537c2f44d662d1a143cf830c57aca4305d85c7a90f6b62e")
    }

    @Test func aReplacedKeyIsAnotherOneAndTheFormerOneIsKept() throws {
        let first = try store.identity()
        let text = try directory.read("key")
        #expect(try KeyFile(directory: directory).replace() == path + ".former")
        let second = try store.identity()
        #expect(first.identity.keys.key != second.identity.keys.key && second.warnings.isEmpty)
        #expect(try directory.read("key.former") == text)
        #expect(try KeyFile(directory: directory).replace() == path + ".former-2")
    }

    @Test func fileIsForTheUserAlone() throws {
        _ = try store.identity()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func manyAtTheSameMomentAgree() async throws {
        let loaded = try await loadedByMany()
        #expect(Set(loaded.map(\.identity.keys.key)).count == 1)
        #expect(loaded.flatMap(\.warnings) == [])
        #expect(TemporaryDirectory.names(in: directory.path) == ["key"])
    }

    private func loadedByMany() async throws -> [IdentityStore.Loaded] {
        let store = store
        return try await withThrowingTaskGroup(of: IdentityStore.Loaded.self) { group in
            for _ in 0..<32 { group.addTask { try store.identity() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: [
        "", "not a key", "tutti key 1\n", "\u{FF}\u{0}", text + "\n", String(text.dropLast()), text.uppercased(),
        text.replacing("key 1", with: "key 2"), text.replacing("\n", with: "\r\n"),
    ])
    func aDamagedFileIsKeptAsideWithAWarning(contents: String) throws {
        try directory.write(Array(contents.utf8), to: "key")
        let repaired = try store.identity()
        #expect(
            repaired.warnings == [
                "\(path) was damaged and is now \(path).damaged: "
                    + "other machines see this one as a new peer, and have to be paired with it again"
            ])
        #expect(try directory.read("key.damaged") == Array(contents.utf8))
        let next = try store.identity()
        #expect(next.warnings.isEmpty)
        #expect(next.identity.peer == repaired.identity.peer)
    }

    @Test func everyByteCounts() throws {
        for index in 0..<Self.text.utf8.count {
            var bytes = Array(Self.text.utf8)
            bytes[index] ^= 1
            try directory.write(bytes, to: "key")
            #expect(try store.identity().warnings.count == 1)
            #expect(try directory.read("key.damaged") == bytes)
            try directory.remove("key.damaged")
        }
    }

    @Test func noiseIsNoKey() throws {
        for count in [1, 12, 13, 76, 113, 114, 115, 127, 128, 129, 5_000] {
            for head in [[], Array("tutti key 1\n".utf8)] {
                let bytes = head + (0..<count).map { _ in UInt8.random(in: 0...255) }
                try directory.write(bytes, to: "key")
                #expect(try store.identity().warnings.count == 1, "\(bytes)")
                #expect(try directory.read("key.damaged") == bytes)
                try directory.remove("key.damaged")
            }
        }
    }

    @Test func oneOfManyWhoFindADamagedFileKeepsIt() async throws {
        try directory.write([0], to: "key")
        let loaded = try await loadedByMany()
        #expect(Set(loaded.map(\.identity.keys.key)).count == 1)
        #expect(loaded.flatMap(\.warnings).count == 1)
        #expect(TemporaryDirectory.names(in: directory.path).sorted() == ["key", "key.damaged"])
    }

    @Test func aFileThatOthersMayUseIsRefusedAndKept() throws {
        let key = try store.identity().identity.keys.key
        for mode: mode_t in [0o644, 0o640, 0o604, 0o620, 0o602, 0o610] {
            chmod(path, mode)
            let failure = try #require(refusal())
            #expect(failure.kind == .notAllowed)
            #expect(
                failure.sentence == "\(path) holds a secret that others may read or write: chmod 600 '\(path)'")
        }
        chmod(path, 0o600)
        #expect(try store.identity().identity.keys.key == key)
    }

    private func refusal() -> RuntimeFailure? {
        do throws(RuntimeFailure) { _ = try store.identity() } catch { return error }
        return nil
    }

    @Test(.enabled(if: geteuid() == 0)) func aFileOfAnotherUserIsRefused() throws {
        _ = try store.identity()
        #expect(chown(path, 65_534, 65_534) == 0)
        let failure = try #require(refusal())
        #expect(failure.kind == .notAllowed)
        #expect(failure.sentence == "\(path) belongs to another user: sudo chown \"$(id -u)\" '\(path)'")
    }

    @Test func theCommandIsForAShell() {
        let error = PrivateFileError.exposed(path: "/it's here/key")
        #expect("\(error)".hasSuffix(#": chmod 600 '/it'\''s here/key'"#))
    }

    /// Up to 0.2 the identity was a UUID.
    @Test func theFormerIdentityGoesWhenTheKeyIsMade() throws {
        try directory.write(Array("00112233-4455-4677-8899-aabbccddeeff\n".utf8), to: "identity")
        let loaded = try store.identity()
        #expect(loaded.warnings.isEmpty)
        #expect("\(loaded.identity.peer)" != "00112233-4455-4677-8899-aabbccddeeff")
        #expect(TemporaryDirectory.names(in: directory.path) == ["key"])
    }

    @Test func whereNothingCanBeKeptTheProcessHasItsOwn() throws {
        let file = StateDirectory(path: temporary.path)
        try file.write([1], to: "file")
        let store = IdentityStore(directory: StateDirectory(path: file.path(of: "file") + "/tutti"), hostName: "den")
        let first = try store.identity()
        #expect(first.warnings.count == 1)
        #expect(first.warnings.first?.hasSuffix("this run has a key of its own, others see it as a new peer") == true)
        #expect(try first.identity.peer != store.identity().identity.peer)
    }

    /// A damaged file that cannot be kept aside stays where it is.
    @Test func whereNothingCanBeKeptAsideTheProcessHasItsOwn() throws {
        for number in 1...StateDirectory.setAsideLimit {
            try directory.write([], to: number == 1 ? "key.damaged" : "key.damaged-\(number)")
        }
        try directory.write([7], to: "key")
        #expect(try store.identity().warnings.count == 1)
        #expect(try directory.read("key") == [7])
    }

    @Test func withoutAHomeTheProcessHasItsOwn() throws {
        let loaded = try IdentityStore(directory: nil, hostName: "den").identity()
        #expect(loaded.warnings == ["HOME is not set: this run has a key of its own, others see it as a new peer"])
    }

    @Test func aFIFOInTheWayDoesNotBlock() throws {
        try directory.write([], to: "other")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try store.identity().warnings.count == 1)
        #expect(try store.identity().warnings.isEmpty)
    }

    /// A doctor looks: no key is made, nor is the directory.
    @Test func aLookMakesNothing() throws {
        let looked = try store.look()
        #expect(looked.warnings.isEmpty && looked.identity.name == "den")
        #expect(TemporaryDirectory.names(in: temporary.path) == [])
        let kept = try store.identity()
        #expect(try store.look().identity.keys.key == kept.identity.keys.key)
        #expect(looked.identity.keys.key != kept.identity.keys.key)
        #expect(TemporaryDirectory.names(in: directory.path) == ["key"])
    }

    @Test func aLookLeavesADamagedFileWhereItIs() throws {
        try directory.write([0], to: "key")
        let looked = try store.look()
        #expect(
            looked.warnings == [
                "\(path) is damaged: the next command that needs it gives it another name: "
                    + "this run has a key of its own, others see it as a new peer"
            ])
        #expect(TemporaryDirectory.names(in: directory.path) == ["key"])
        #expect(try directory.read("key") == [0])
    }

    @Test func aLookRefusesWhatOthersMayUse() throws {
        _ = try store.identity()
        chmod(path, 0o644)
        #expect(throws: RuntimeFailure.self) { try store.look() }
    }

    @Test func hostNameIsCutToWhatMDNSCarries() throws {
        let store = IdentityStore(directory: nil, hostName: String(repeating: "ä", count: 40))
        #expect(try store.identity().identity.name == String(repeating: "ä", count: 31))
    }
}
