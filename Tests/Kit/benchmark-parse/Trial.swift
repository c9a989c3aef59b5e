import Glibc

/// A program that was run: what it took of a processor, and the most memory that it held.
struct Trial {
    var cpuSeconds: Double
    var residentMegabytes: Double
    var output: String

    /// - Returns: nil if it could not be run, or did not end well.
    init?(_ command: [String]) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var arguments = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var pid: pid_t = 0
        let error = posix_spawnp(&pid, command[0], &actions, nil, &arguments, environ)
        close(ends[1])
        guard error == 0 else { return nil }

        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(ends[0], &chunk, chunk.count), count > 0 { text += chunk[..<count] }
        var (status, use) = (Int32(0), rusage())
        guard wait4(pid, &status, 0, &use) == pid, status == 0 else { return nil }
        cpuSeconds = Self.seconds(use.ru_utime) + Self.seconds(use.ru_stime)
        residentMegabytes = Double(use.ru_maxrss) / 1_024
        output = String(decoding: text, as: UTF8.self)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
