import Glibc

/// Starts a program.
/// - Parameter descriptors: which of our descriptors become which of its own; what is not named is not inherited, but
///   for the standard ones.
package func spawnProcess(
    _ command: [String], environment: [String: String], descriptors: [Int32: Int32]
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Copies whose numbers are beyond those of the program, so that none takes another's place.
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for (ours, theirs) in descriptors {
        let copy = fcntl(ours, F_DUPFD_CLOEXEC, 64)
        guard copy >= 0 else { throw LANError.system("fcntl", errno) }
        copies.append(copy)
        posix_spawn_file_actions_adddup2(&actions, copy, theirs)
    }

    // Test runners block and ignore signals; a program under test begins with a clean slate.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
        for text in arguments { free(text) }
        for text in variables { free(text) }
    }
    var pid: pid_t = 0
    let error = posix_spawn(&pid, command[0], &actions, &attributes, &arguments, &variables)
    guard error == 0 else { throw LANError.system("cannot start \(command[0])", error) }
    return pid
}

/// Two ends that no child inherits by accident: what is written to the second is read from the first. Both are
/// marked in the call that makes them, since other tests start programs at the same time.
package func makeChannel() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw LANError.system("socketpair", errno) }
    return (ends[0], ends[1])
}

/// One line from a descriptor, without its line feed; what there is at the end.
func readLine(from descriptor: Int32) -> String {
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while true {
        let count = read(descriptor, &byte, 1)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 || byte == UInt8(ascii: "\n") { break }
        text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
}

/// The decimal number in one line from a descriptor; nil if there is none.
func readNumber(from descriptor: Int32) -> Int32? { Int32(readLine(from: descriptor)) }

/// The whole of a text file; empty if there is none.
package func readText(_ path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}

package func writeText(_ text: String, to path: String) throws {
    guard let file = fopen(path, "we") else { throw LANError.system("create \(path)", errno) }
    let bytes = Array(text.utf8)
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { throw LANError.system("write \(path)", errno) }
}

func directoryEntries(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}

/// Removes a directory with all that is in it; follows no links.
package func removeTree(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
        for name in directoryEntries(path) { removeTree(path + "/" + name) }
        rmdir(path)
    } else {
        unlink(path)
    }
}
