import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit
import Testing

/// A song on a testbed on which things go wrong on purpose. The first listener is the one that nothing befalls: all
/// others are judged beside it.
final class ListeningTest {
    let testbed: Testbed
    let song: SongFile
    private(set) var processes: [LANProcess] = []
    private var recordings: [Int: HeardRecording] = [:]
    private var failures: [(text: String, location: SourceLocation)] = []
    /// True time of the first sound, in nanoseconds.
    private var start: Int64 = 0
    /// Seconds of sound that are compared where a listener comes back.
    private static let comparison = 0.5

    private init(listeners: Int, seconds: Double) throws {
        var configuration = Testbed.Configuration()
        configuration.listenerCount = listeners
        testbed = try Testbed(configuration)
        song = try SongFile(.constantBitRate, seconds: seconds, in: testbed.lan)
    }

    /// Runs it. Where the machine stood still meanwhile and something was not as it should be, once more: then
    /// it counts whatever the machine does.
    static func run(listeners: Int, seconds: Double, _ body: (ListeningTest) throws -> Void) throws {
        let first = try attempt(listeners: listeners, seconds: seconds, body)
        guard !first.failures.isEmpty, !first.testbed.stalls.stalls.isEmpty else { return first.record() }
        print("The machine stood still, once more: \(first.failures.map(\.text))")
        try attempt(listeners: listeners, seconds: seconds, body).record()
    }

    private static func attempt(
        listeners: Int, seconds: Double, _ body: (ListeningTest) throws -> Void
    ) throws -> ListeningTest {
        let test = try ListeningTest(listeners: listeners, seconds: seconds)
        do {
            try body(test)
        } catch {
            test.failures.append(("\(error)", #_sourceLocation))
        }
        return test
    }

    private func record() {
        for (text, location) in failures { Issue.record("\(text)", sourceLocation: location) }
        if !failures.isEmpty { print(testbed.account(of: processes)) }
    }

    func check(_ isRight: Bool, _ text: @autoclosure () -> String, location: SourceLocation = #_sourceLocation) {
        if !isRight { failures.append((text(), location)) }
    }

    // MARK: Running

    func start(_ arguments: [String], on host: Int) throws -> LANProcess {
        let process = try testbed.start(arguments, on: host)
        processes.append(process)
        return process
    }

    /// Listeners on these hosts, the first among them, which take one broadcast after the other; then the song, as soon
    /// as all are there. Returns when it sounds.
    /// - Parameters:
    ///   - join: options of the listeners.
    ///   - broadcast: options of the broadcaster.
    func begin(
        on hosts: ClosedRange<Int>, join: [String] = [], broadcast options: [String] = []
    ) throws -> (broadcast: LANProcess, listeners: [LANProcess]) {
        let listeners = try hosts.map { try start(["join"] + join, on: $0) }
        Testbed.letAnnouncementsPass()
        let broadcast = try start(["broadcast", song.path, "--wait", "\(hosts.count)"] + options, on: 0)
        try testbed.waitForSound(on: 1)
        start = Int64(try testbed.recording(of: 1).firstAudibleTime() ?? Double(trueNow()))
        return (broadcast, listeners)
    }

    /// Seconds since the first sound.
    var elapsed: Double { Double(trueNow() - start) * 1e-9 }

    /// Does each of these when the song has come so far, in seconds.
    func perform(_ steps: [(at: Double, () throws -> Void)]) throws {
        for (time, step) in steps.sorted(by: { $0.at < $1.at }) {
            sleep(until: time)
            try step()
        }
    }

    func sleep(until time: Double) { usleep(useconds_t(max(0, time - elapsed) * 1e6)) }

    /// Waits until a process has said this so many times; returns when, in seconds of the song.
    @discardableResult
    func wait(for text: String, count: Int = 1, from process: LANProcess, within seconds: Double) throws -> Double {
        try waitUntil("\"\(text)\" from \(process.command.suffix(2)), time \(count)", within: seconds) {
            (process.lines + process.errors.split(separator: "\n").map(String.init))
                .count { $0.contains(text) } >= count
        }
        return elapsed
    }

    /// The song comes to its end; then the listeners are sent home.
    func end(
        _ broadcast: LANProcess, code: Int32 = 0, _ listeners: [LANProcess], within seconds: Double
    ) throws {
        check(try broadcast.wait(within: seconds) == .exited(code), "the broadcast failed")
        for listener in listeners { listener.signal(SIGINT) }
        for listener in listeners { check(try listener.wait(within: 5) == .exited(0), "a listener failed") }
    }

    // MARK: What was heard

    func heard(on host: Int) throws -> HeardRecording {
        if let known = recordings[host] { return known }
        let recording = try testbed.recording(of: host)
        recordings[host] = recording
        return recording
    }

    /// When something was heard, in seconds of the song.
    func position(_ time: Double) -> Double { (time - Double(start)) * 1e-9 }

    /// A host's spans of silence, in seconds of the song.
    func silences(on host: Int) throws -> [ClosedRange<Double>] {
        try heard(on: host).silences().map { position($0.lowerBound)...position($0.upperBound) }
    }

    /// The song was heard whole, without blemish, in step.
    func checkWhole(on host: Int, location: SourceLocation = #_sourceLocation) throws {
        let comparison = song.judge(try heard(on: host))
        print("host \(host + 1): \(comparison.summary)")
        check(comparison.isClean, "host \(host + 1): \(comparison.summary)", location: location)
        if host != 1 { try checkInStep(host, except: [], location: location) }
    }

    /// What was heard was in step with the first listener, but for these spans of silence of either, and from the first
    /// frame after each of them at which both sound again.
    func checkInStep(
        _ host: Int, except silences: [ClosedRange<Double>], location: SourceLocation = #_sourceLocation
    ) throws {
        let (steady, other) = (try heard(on: 1), try heard(on: host))
        // From the other to the steady one: where the other is silent, nothing is compared.
        let report = skew(between: other, and: steady)
        let unlike = report.unlikeWindows.map { position($0.time) }.filter { time in
            !silences.contains { $0.overlaps(time - 0.01...time + 0.26) }
        }
        let worst = report.windows.max { abs($0.skew) < abs($1.skew) }
        let maximum = abs(worst?.skew ?? .infinity)
        let place = worst.map { position($0.time) } ?? 0
        print(
            "host \(host + 1): \(report.summary), the most at \(fixed(place, 2)) s; silent \(silences.map { "\(fixed($0.lowerBound, 3))...\(fixed($0.upperBound, 3))" })"
        )
        check(
            unlike.isEmpty && maximum < EndToEndTests.limit,
            "host \(host + 1): \(report.summary), the most at \(place) s, unlike at \(unlike)", location: location)
        for silence in Self.joined(silences) {
            var options = SkewOptions()
            options.hop = 0.125
            options.duration = Self.comparison
            let onset = Double(start) + (silence.upperBound - 0.001) * 1e9
            let entry = skew(between: other.muted(before: onset), and: steady, options: options)
            let first = entry.percentile(1) ?? .infinity
            print("host \(host + 1): after \(fixed(silence.upperBound, 2)) s \(entry.summary)")
            check(
                first < EndToEndTests.limit && entry.unlikeWindows.isEmpty,
                "host \(host + 1): came back out of step after \(silence): \(entry.summary)", location: location)
        }
    }

    /// Spans as one that overlap, or between which there is not as much sound as a comparison takes.
    private static func joined(_ spans: [ClosedRange<Double>]) -> [ClosedRange<Double>] {
        spans.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, span in
            if let last = joined.last, span.lowerBound < last.upperBound + comparison {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
            } else {
                joined.append(span)
            }
        }
    }
}
