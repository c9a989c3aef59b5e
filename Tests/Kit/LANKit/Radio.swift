import Glibc

/// The process that carries a host's frames over a ``RadioLink``; it ends when our end of its pipe closes.
public final class Radio {
    public let pid: pid_t
    private let answers: Int32
    private var lifeline: Int32

    /// Makes `eth0` in the host, and `port` beside the bridge.
    init(_ link: RadioLink, host: Namespaces, bridge: Namespaces, port: String) throws {
        let life = try makeChannel()
        let answer = try makeChannel()
        lifeline = life.writing
        answers = answer.reading
        do {
            defer {
                close(life.reading)
                close(answer.writing)
            }
            pid = try spawnProcess(
                [LANTools.radioLink, "\(host.pid)", "\(bridge.pid)", port] + link.arguments, environment: [:],
                descriptors: [life.reading: 0, answer.writing: 1])
        } catch {
            close(life.writing)
            close(answer.reading)
            throw error
        }
        guard readLine(from: answers) == "ready" else { throw LANError.commandFailed("radio-link for \(port)") }
    }

    deinit {
        tearDown()
        close(answers)
    }

    /// What it did so far.
    public func report() throws -> RadioReport {
        var byte = UInt8(ascii: "?")
        guard lifeline >= 0, write(lifeline, &byte, 1) == 1 else { throw LANError.system("ask radio-link", errno) }
        let numbers = readLine(from: answers).split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 * RadioReport.Direction.fieldCount else {
            throw LANError.commandFailed("radio-link's report")
        }
        return RadioReport(
            sent: .init(numbers.prefix(RadioReport.Direction.fieldCount)),
            received: .init(numbers.suffix(RadioReport.Direction.fieldCount)))
    }

    /// Ends it, and returns when its interfaces are gone.
    func tearDown() {
        guard lifeline >= 0 else { return }
        close(lifeline)
        lifeline = -1
        while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    }
}

/// What a ``Radio`` did, and how punctually.
public struct RadioReport: Sendable {
    /// One way; times in microseconds.
    public struct Direction: Sendable {
        public var frameCount: Int
        public var lostCount: Int
        /// Frames for which its queue had no room.
        public var overflowCount: Int
        /// From the departure of each frame to the instant at which it was due.
        public var delay: (minimum: Int, median: Int, p90: Int, p99: Int, maximum: Int)
        /// From its departure to when the link read it: harmless while shorter than the delay.
        public var notice: (median: Int, p99: Int, maximum: Int)
        /// How much later than due it was delivered: what the machine added to the link.
        public var lateness: (median: Int, p99: Int, maximum: Int)

        static let fieldCount = 14

        init(_ fields: ArraySlice<Int>) {
            let f = Array(fields)
            (frameCount, lostCount, overflowCount) = (f[0], f[1], f[2])
            delay = (f[3], f[4], f[5], f[6], f[7])
            notice = (f[8], f[9], f[10])
            lateness = (f[11], f[12], f[13])
        }

        public var lossRate: Double { Double(lostCount) / Double(max(1, frameCount + lostCount)) }
    }

    /// By the host.
    public var sent: Direction
    /// By the host.
    public var received: Direction
}
