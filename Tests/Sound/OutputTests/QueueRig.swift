import ALSADevices
import AudioCore
import AudioDecoding
import AudioQueueServices
import Glibc
import HeardAnalysis
import HostSystem
import Playout
import SoundCardKit
import Synchronization
import VirtualDevices

/// A directory of its own for a card or a recording, that goes away with it.
final class CardDirectory {
    let directory: String

    init() {
        SoftwareCard.useOwnConfiguration()
        directory = String(cString: mkdtemp(strdup("/tmp/tutti-output-XXXXXX")))
    }

    deinit {
        for name in ["", ".timing", ".lock", ".control"] { unlink(recording + name) }
        rmdir(directory)
    }

    var recording: String { directory + "/heard.wav" }

    /// A card that has heard nothing yet.
    func makeCard(_ adapt: (inout SoftwareCard) -> Void = { _ in }) -> SoftwareCard {
        removeRecording()
        var card = SoftwareCard(recording: recording)
        adapt(&card)
        return card
    }

    /// A card that is opened again goes on with its recording.
    func removeRecording() {
        for name in ["", ".timing"] { unlink(recording + name) }
    }

    func heard() throws -> HeardRecording { try HeardRecording(path: recording) }
}

/// An audio queue that plays a ``TestSong`` as 32-bit float packets, and whose events can be waited for.
final class QueueRig {
    let queue: TimelineQueue
    private let events = EventLog()

    /// - Parameter span: how much song the queue holds, if more than listeners need.
    init(_ output: any OutputDevice, holding span: TimeSpan? = nil) throws {
        let events = events
        var limits = TimelineQueueLimits()
        if let span { limits.queuedSpan = span }
        queue = try TimelineQueue(output: output, decoders: .builtIn, limits: limits) { events.append($0) }
    }

    deinit { queue.close() }

    /// Begins an epoch in which frame 0 is due at `start`, and enqueues all of the song.
    /// - Parameter isBehind: whether the epoch before it is kept.
    func play(
        _ song: TestSong, rate: Double = 48_000, at start: HostTime, epoch: Epoch = Epoch(1), isBehind: Bool = false
    ) {
        let stream = TimelineQueueStream(
            epoch: epoch,
            format: .linearPCM(
                sampleRate: rate, channels: song.channels, bitsPerChannel: 32, bytesPerSample: 4,
                layout: [.float, .signedInteger]))
        if isBehind { queue.append(stream) } else { queue.begin(stream) }
        queue.setTimeline(HostTimeline(epoch: epoch, host: start, frame: .zero, framesPerSecond: rate))
        let samples = song.recording(sampleRate: rate).samples
        let total = samples.count / song.channels
        for first in stride(from: 0, to: total, by: 1_000) {
            let last = min(first + 1_000, total)
            Array(samples[(first * song.channels)..<(last * song.channels)]).withUnsafeBytes { bytes in
                _ = queue.enqueue(
                    RawSpan(_unsafeBytes: bytes), frame: FramePosition(Int64(first)), frameCount: last - first,
                    epoch: epoch)
            }
        }
        queue.finish(at: FramePosition(Int64(total)), epoch: epoch)
    }

    /// Waits until an event for which `isWanted` holds has come, or half a minute has passed.
    func wait(for isWanted: (TimelineQueueEvent) -> Bool) throws -> TimelineQueueEvent {
        let deadline = HostTime.now() + .seconds(30)
        while HostTime.now() < deadline {
            if let event = events.all.first(where: isWanted) { return event }
            events.arrived.wait(atMost: .seconds(1))
        }
        throw NeverHappened(events: events.all)
    }

    func waitUntilFinished(_ epoch: Epoch = Epoch(1)) throws {
        _ = try wait { $0 == .playout(.finished(epoch: epoch)) }
    }

    var allEvents: [TimelineQueueEvent] { events.all }
}

struct NeverHappened: Error {
    var events: [TimelineQueueEvent]
}

private final class EventLog: Sendable {
    private let events = Mutex<[TimelineQueueEvent]>([])
    let arrived: WakeSignal

    init() {
        do { arrived = try WakeSignal() } catch { fatalError("no eventfd: \(error.code)") }
    }

    func append(_ event: TimelineQueueEvent) {
        events.withLock { $0.append(event) }
        arrived.signal()
    }

    var all: [TimelineQueueEvent] { events.withLock { $0 } }
}

extension TestSong {
    /// What a perfect card would have recorded whose song began at `start`.
    func heard(from start: HostTime) -> HeardRecording {
        var reference = recording(sampleRate: 48_000)
        reference.segments[0].host = start
        return reference
    }
}
