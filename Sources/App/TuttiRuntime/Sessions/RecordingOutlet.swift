import AudioCore
import AudioDecoding
import AudioFileWriting
import HostSystem
import Playout
import Recording
import SessionExecution
import Synchronization
import WireProtocol

/// Writes what a session receives to a file, on a thread of its own: the network does not wait for a disk.
///
/// Packets that wait for the disk are bounded in bytes. Any beyond that are dropped, become silence in the recording,
/// and are reported at its end.
final class RecordingOutlet: MachineOutlet, Sendable {
    /// Minutes of most songs.
    private static let waitingByteCount = 32 << 20
    /// What a packet costs besides its bytes, at least.
    private static let packetOverhead = 128
    /// How long a decoder may do nothing when the recording is to end, before it is given up.
    private static let patience = TimeSpan.seconds(5)
    /// The file is flushed when nothing came for this long.
    private static let idleTime = TimeSpan.seconds(1)

    private enum Job {
        case begin(Epoch, AudioStreamSummary, FramePosition)
        case packets([AudioPacketDescription], data: [UInt8], at: FramePosition, Epoch)
        case reenter(FramePosition, Epoch)
        case finish(FramePosition, Epoch)
        case cut(FramePosition, Epoch)
        case resume(Epoch)
        case drop(Epoch)
    }

    private struct State {
        var jobs: [Job] = []
        var waitingByteCount = 0
        var isClosing = false
        var summary = RecordingSummary()
        var failure: RuntimeFailure?
        var handler: @Sendable (ListenOutletEvent) -> Void = { _ in }
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        /// Until the thread takes it.
        let file: Mutex<OutputFile?>
        let wake: WakeSignal
        let interrupt = DecodingInterrupt()
        /// Jobs done so far.
        let doneCount = Atomic(0)

        init(_ file: consuming OutputFile) throws(DescriptorError) {
            self.file = Mutex(file)
            wake = try WakeSignal()
        }
    }

    private let shared: Shared
    private let thread: HostThread

    /// Claims the file's name; throws what is wrong with it.
    init(_ options: RecordingOptions, decoders: DecoderCatalog) throws(RuntimeFailure) {
        let file: OutputFile
        do throws(AudioFileWritingError) {
            file = try TimelineRecorder.claim(options)
        } catch { throw RuntimeFailure(error) }
        do throws(DescriptorError) { shared = try Shared(file) } catch { throw .outOfResources(code: error.code) }
        let shared = shared
        do throws(HostThreadError) {
            thread = try HostThread(name: "tutti recorder") { Self.run(options, decoders, shared) }
        } catch { throw .outOfResources(code: error.code) }
    }

    /// Sets who is told of events.
    func attach(_ handler: @escaping @Sendable (ListenOutletEvent) -> Void) {
        shared.state.withLock { $0.handler = handler }
    }

    /// What was recorded, and why no more; final after ``close()``.
    var result: (summary: RecordingSummary, failure: RuntimeFailure?) {
        shared.state.withLock { ($0.summary, $0.failure) }
    }

    // MARK: ListenOutlet

    var device: OutputDeviceDescription? { nil }

    var playout: PlayoutSnapshot { PlayoutSnapshot() }

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        give(.begin(epoch, stream, firstFrame), byteCount: Self.packetOverhead + stream.magicCookie.count)
    }

    func append(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        begin(epoch, stream, firstFrame: firstFrame)
    }

    func enqueue(_ packets: [AudioPacketDescription], data: RawSpan, at position: FramePosition, epoch: Epoch) {
        let byteCount = data.byteCount + packets.count * Self.packetOverhead
        let copy = data.withUnsafeBytes { [UInt8]($0) }
        give(.packets(packets, data: copy, at: position, epoch), byteCount: byteCount)
    }

    func reenter(at frame: FramePosition, epoch: Epoch) { give(.reenter(frame, epoch), byteCount: Self.packetOverhead) }

    func finish(at end: FramePosition, epoch: Epoch) { give(.finish(end, epoch), byteCount: Self.packetOverhead) }

    /// Does nothing: a file has no due times.
    func setTimeline(_ timeline: HostTimeline) {}

    func cut(at frame: FramePosition, epoch: Epoch) { give(.cut(frame, epoch), byteCount: Self.packetOverhead) }

    func resume(_ epoch: Epoch) { give(.resume(epoch), byteCount: Self.packetOverhead) }

    func drop(_ epoch: Epoch) { give(.drop(epoch), byteCount: Self.packetOverhead) }

    func hold(fade: TimeSpan) {}

    /// Does nothing: what came is kept.
    func stop(fade: TimeSpan) {}

    func apply(_ settings: LoudspeakerSettings, group: VolumeSetting) {}

    /// Records what still waits, and finishes the file; gives up the rest if a decoder hangs. Safe to repeat.
    func close() {
        shared.state.withLock { $0.isClosing = true }
        shared.wake.signal()
        var doneCount: Int
        repeat {
            doneCount = shared.doneCount.load(ordering: .relaxed)
            if thread.join(atMost: Self.patience) { return }
        } while doneCount != shared.doneCount.load(ordering: .relaxed)
        shared.interrupt.interrupt()
        thread.join()
    }

    private func give(_ job: Job, byteCount: Int) {
        shared.state.withLock { state in
            guard state.waitingByteCount + byteCount <= Self.waitingByteCount else { return }
            state.jobs.append(job)
            state.waitingByteCount += byteCount
        }
        shared.wake.signal()
    }

    // MARK: The thread

    private static func run(_ options: RecordingOptions, _ decoders: DecoderCatalog, _ shared: Shared) {
        guard let file = shared.file.withLock({ $0.take() }) else { return }
        var recorder = TimelineRecorder(options, file: file, decoders: decoders, interrupt: shared.interrupt)
        do throws(RecordingFailure) {
            var isClosing = false
            while !isClosing {
                shared.wake.wait(atMost: idleTime)
                let jobs: [Job]
                (jobs, isClosing) = shared.state.withLock { state in
                    defer { (state.jobs, state.waitingByteCount) = ([], 0) }
                    return (state.jobs, state.isClosing)
                }
                for job in jobs {
                    try perform(job, &recorder, shared)
                    shared.doneCount.add(1, ordering: .relaxed)
                }
                if jobs.isEmpty { try recorder.flush() }
                note(recorder.summary, shared)
            }
            try recorder.close()
        } catch {
            let failure = RuntimeFailure(error)
            shared.state.withLock { $0.failure = failure }
            try? recorder.close()
            tell(.failed(failure), shared)
        }
        note(recorder.summary, shared)
    }

    private static func perform(
        _ job: Job, _ recorder: inout TimelineRecorder, _ shared: Shared
    ) throws(RecordingFailure) {
        let wasFull = recorder.isFull
        switch job {
        case .begin(let epoch, let stream, let frame): try recorder.begin(epoch, stream, firstFrame: frame)
        case .packets(let packets, let data, let position, let epoch):
            var frame = position
            for packet in packets {
                let bytes = data.span.bytes.extracting(packet.startOffset..<packet.startOffset + packet.byteCount)
                try recorder.take(bytes, frame: frame, frameCount: packet.frameCount, epoch: epoch)
                frame += Int64(packet.frameCount)
            }
        case .reenter(let frame, let epoch): recorder.reenter(at: frame, epoch: epoch)
        case .finish(let end, let epoch):
            try recorder.finish(at: end, epoch: epoch)
            tell(.recordedEnd(epoch), shared)
        case .cut(let frame, let epoch): recorder.cut(at: frame, epoch: epoch)
        case .resume(let epoch): recorder.resume(epoch)
        case .drop(let epoch): try recorder.drop(epoch)
        }
        if recorder.isFull, !wasFull { tell(.isComplete, shared) }
    }

    private static func note(_ summary: RecordingSummary, _ shared: Shared) {
        shared.state.withLock { $0.summary = summary }
    }

    private static func tell(_ event: ListenOutletEvent, _ shared: Shared) {
        let handler = shared.state.withLock { $0.isClosing ? { _ in } : $0.handler }
        handler(event)
    }
}

extension RuntimeFailure {
    init(_ error: AudioFileWritingError) { self.init(.cannotCreate, .file(error)) }

    fileprivate init(_ failure: RecordingFailure) {
        switch failure {
        case .file(let error): self.init(error)
        case .decoding: self.init(.unusableInput, .recording(failure))
        case .skips, .changes: self.init(.lost, .recording(failure))
        }
    }
}
