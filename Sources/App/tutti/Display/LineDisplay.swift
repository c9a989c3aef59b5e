import AudioCore
import Glibc
import TuttiRuntime

/// Shows plain lines, as ``PlainView`` makes them.
struct PlainDisplay: EventDisplay {
    let interval = TimeSpan.zero
    private var view: PlainView

    init(level: DisplayFlags.Level) { view = PlainView(level: level) }

    mutating func show(_ batch: EventMailbox.Batch, now: HostTime) -> Bool {
        for event in batch.events {
            for line in view.lines(for: event, now: now) {
                guard line.stream.write(line.text + "\n") else { return false }
            }
        }
        return true
    }

    func finish(_ result: SessionResult, exitCode: Int32) {
        guard view.level != .quiet, result.failure == nil else { return }
        StandardStream.output.write(result.outcomeName + "\n")
    }
}

/// Shows JSON objects, as ``JSONView`` makes them.
struct JSONDisplay: EventDisplay {
    let interval = TimeSpan.zero
    private var view: JSONView

    init(level: DisplayFlags.Level) { view = JSONView(level: level) }

    mutating func show(_ batch: EventMailbox.Batch, now: HostTime) -> Bool {
        for event in batch.events {
            guard let value = view.value(for: event, unixSeconds: Self.unixSeconds) else { continue }
            guard StandardStream.output.write(value.text + "\n") else { return false }
        }
        return true
    }

    func finish(_ result: SessionResult, exitCode: Int32) {
        let value = view.end(result, exitCode: exitCode, unixSeconds: Self.unixSeconds)
        StandardStream.output.write(value.text + "\n")
    }

    /// Wall-clock time, for people who compare logs; nothing is timed by it.
    private static var unixSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
