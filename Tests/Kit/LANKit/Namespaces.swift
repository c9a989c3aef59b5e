import Glibc
import SoundCardKit

/// The namespaces of one host, held by a process that lives as long as our end of a pipe is open.
final class Namespaces {
    /// The host's first process, as seen from here.
    let pid: pid_t
    private let holder: pid_t
    private var lifeline: Int32

    init(name: String, clockOffsetSeconds: Int) throws {
        let life = try makeChannel()
        let answer = try makeChannel()
        defer {
            close(life.reading)
            close(answer.reading)
        }
        lifeline = life.writing
        do {
            holder = try spawnProcess(
                [LANTools.lanHost, "hold", name, "\(clockOffsetSeconds)"], environment: [:],
                descriptors: [life.reading: 0, answer.writing: 1])
        } catch {
            close(answer.writing)
            close(life.writing)
            throw error
        }
        close(answer.writing)
        guard let found = readNumber(from: answer.reading) else {
            close(life.writing)
            waitpid(holder, nil, 0)
            throw LANError.commandFailed("lan-host hold \(name)")
        }
        pid = found
    }

    deinit { tearDown() }

    /// The host's file system as seen from here.
    var root: String { "/proc/\(pid)/root" }

    /// Runs `ip` commands in the network namespace.
    func configureNetwork(_ commands: [String]) throws {
        for command in commands {
            let words = command.split(separator: " ").map(String.init)
            let child = try spawnProcess(
                [LANTools.lanHost, "net", "\(pid)"] + words, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
                descriptors: [:])
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
            guard status == 0 else { throw LANError.commandFailed(command) }
        }
    }

    /// Ends every process in the namespaces, and returns when they are gone.
    func tearDown() {
        guard lifeline >= 0 else { return }
        close(lifeline)
        lifeline = -1
        while waitpid(holder, nil, 0) < 0 && errno == EINTR {}
    }
}

/// Programs and libraries that SwiftPM built beside this test.
enum LANTools {
    static var lanHost: String { buildDirectory + "/lan-host" }
    static var radioLink: String { buildDirectory + "/radio-link" }
    static var clockInterposer: String { buildDirectory + "/libClockInterposer.so" }
}

/// Where SwiftPM put what it built together with the running test; the products of the package lie there too.
public var buildDirectory: String {
    let library = SoftwareCard.libraryPath
    return String(library[..<(library.lastIndex(of: "/") ?? library.endIndex)])
}
