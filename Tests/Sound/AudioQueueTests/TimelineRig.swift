import AudioCore
import AudioDecoding
import Playout

@testable import AudioQueueServices

/// A timeline queue's core on a sound card of virtual time, both driven by the test. The card's clock is exact, so that
/// a song of 48 kHz that begins on one of its frames comes out as it went in.
final class TimelineRig {
    static let rate = 48_000.0
    private static let tickFrames: Int64 = 240
    private static let deviceBuffer: Int64 = 4_800
    private static let packetFrameCount: Int64 = 480

    let core: QueueCore
    private var renderer: Renderer
    /// Frames that were rendered, and frames that left the card.
    private(set) var output: [Float] = []
    private(set) var pointer: Int64 = 0
    private(set) var events: [TimelineQueueEvent] = []

    init(limits: TimelineQueueLimits = TimelineQueueLimits()) throws {
        core = try QueueCore(decoders: .builtIn, limits: limits)
        renderer = Renderer(
            control: core.control, deviceRate: Self.rate, channels: 1, maximumFrameCount: Int(Self.deviceBuffer))
    }

    /// What frame n of a song sounds like: of 4 million no two are equal, and none is zero.
    static func sample(_ frame: Int64) -> Float { BufferRig.sample(frame) }

    // MARK: The queue

    static func stream(_ epoch: UInt32, rate: Double = rate, firstFrame: Int64 = 0) -> TimelineQueueStream {
        TimelineQueueStream(
            epoch: Epoch(epoch),
            format: .linearPCM(
                sampleRate: rate, channels: 1, bitsPerChannel: 32, bytesPerSample: 4, layout: [.float, .signedInteger]),
            firstFrame: FramePosition(firstFrame))
    }

    /// Appends an epoch of these frames, all of which are enqueued; the first of them is due with a frame of the card.
    /// - Returns: whether there was room for it.
    @discardableResult
    func append(
        _ epoch: UInt32, _ frames: Range<Int64>, due: Int64?, isEnded: Bool = true,
        sample: (Int64) -> Float = TimelineRig.sample
    ) -> Bool {
        guard core.append(Self.stream(epoch, firstFrame: frames.lowerBound)) else { return false }
        enqueue(epoch, frames, sample: sample)
        if isEnded { core.finish(at: FramePosition(frames.upperBound), epoch: Epoch(epoch), packetsFollow: false) }
        if let due { setTimeline(epoch, frames.lowerBound, due: due) }
        return true
    }

    /// - Returns: the admission of the last packet.
    @discardableResult
    func enqueue(
        _ epoch: UInt32, _ frames: Range<Int64>, sample: (Int64) -> Float = TimelineRig.sample
    ) -> TimelineQueueAdmission {
        var admission = TimelineQueueAdmission.accepted
        for first in stride(from: frames.lowerBound, to: frames.upperBound, by: Int(Self.packetFrameCount)) {
            let samples = (first..<min(first + Self.packetFrameCount, frames.upperBound)).map(sample)
            admission = core.enqueue(
                samples.span.bytes, frame: FramePosition(first), frameCount: samples.count, epoch: Epoch(epoch))
        }
        return admission
    }

    /// A frame of the song is due with a frame of the card.
    func setTimeline(_ epoch: UInt32, _ frame: Int64, due device: Int64, rate: Double = rate) {
        core.setTimeline(
            HostTimeline(
                epoch: Epoch(epoch), host: Self.host(of: device), frame: FramePosition(frame), framesPerSecond: rate))
    }

    func cut(_ epoch: UInt32, at frame: Int64) { core.cut(at: FramePosition(frame), epoch: Epoch(epoch)) }

    // MARK: Time

    private static func host(of frame: Int64) -> HostTime {
        HostTime(nanoseconds: 1_000_000_000 + Int64((Double(frame) * 62_500 / 3).rounded()))
    }

    /// The queue's thread has a turn, and the card takes 5 ms of frames.
    private func tick() {
        while core.turn({ events.append($0) }, {}) == .fed {}
        pointer += Self.tickFrames
        renderer.note(DeviceClockReading(frame: DeviceFrame(index: pointer), host: Self.host(of: pointer)))
        if renderer.wantsEarlierFrame {
            let first = min(Int64(output.count), pointer + Self.tickFrames)
            output.removeLast(output.count - Int(first))
            renderer.rewind(to: DeviceFrame(index: first))
        }
        while Int64(output.count) < pointer + Self.deviceBuffer {
            var block = [Float](repeating: .nan, count: Int(Self.tickFrames))
            block.withUnsafeMutableBufferPointer {
                renderer.render(into: $0, from: DeviceFrame(index: Int64(output.count)))
            }
            output += block
        }
    }

    /// Runs until this frame has left the card.
    func run(to frame: Int64) {
        while pointer < frame { tick() }
    }

    // MARK: What was heard

    /// Whether frames of the card are those of the song from `first` on, bit by bit.
    func isExact(_ frames: Range<Int64>, from first: Int64, sample: (Int64) -> Float = TimelineRig.sample) -> Bool {
        frames.allSatisfy { output[Int($0)] == sample(first + $0 - frames.lowerBound) }
    }

    func isSilent(_ frames: Range<Int64>) -> Bool { frames.allSatisfy { output[Int($0)] == 0 } }

    /// How loud each of these frames of the card is beside that of the song.
    func gains(_ frames: Range<Int64>, from first: Int64) -> [Float] {
        frames.map { output[Int($0)] / Self.sample(first + $0 - frames.lowerBound) }
    }

    /// Starts, ends and stops in their order.
    var course: [String] {
        events.compactMap { event in
            switch event {
            case .playout(.started(let epoch, _, _, _)): "started \(epoch.number)"
            case .playout(.finished(let epoch)): "finished \(epoch.number)"
            case .playout(.stopped(let epoch)): "stopped \(epoch.number)"
            default: nil
            }
        }
    }
}
