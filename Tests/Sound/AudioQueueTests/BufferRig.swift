import AudioCore
import AudioDecoding
import Playout
import Synchronization

@testable import AudioQueueServices

/// An output queue on a sound card of virtual time, both driven by the test: nothing happens by itself.
final class BufferRig {
    static let rate = 48_000.0
    static let tickFrames: Int64 = 240
    static let deviceBuffer: Int64 = 4_800
    /// 32-bit float, one channel: a frame is a sample.
    static let format = AudioStreamFormat.linearPCM(
        sampleRate: rate, channels: 1, bitsPerChannel: 32, bytesPerSample: 4, layout: [.float, .signedInteger])

    let core: QueueCore
    private(set) var queue: OutputQueueCore!
    private var renderer: Renderer
    /// Frames that were rendered, and frames that left the card.
    private(set) var output: [Float] = []
    private(set) var pointer: Int64 = 0
    private(set) var events: [OutputQueueEvent] = []
    /// Numbers of buffers in the order in which they were handed back, and where the card was then.
    private(set) var returned: [(number: Int, pointer: Int64)] = []
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var free: [BufferStorage] = []
    private let inbox = Inbox()
    private(set) var enqueuedFrames: Int64 = 0
    private var nextNumber = 0
    /// Whether the card lets frames be taken back.
    var canRewind = true

    private final class Inbox: Sendable {
        let events = Mutex<[OutputQueueEvent]>([])
        let buffers = Mutex<[BufferStorage]>([])
    }

    init(format: AudioStreamFormat = BufferRig.format, table: AudioPacketTableInfo? = nil) throws {
        core = try QueueCore(decoders: .builtIn)
        renderer = Renderer(
            control: core.control, deviceRate: Self.rate, channels: 1, maximumFrameCount: Int(Self.deviceBuffer))
        let inbox = inbox
        queue = OutputQueueCore(
            OutputQueueStream(format: format, magicCookie: [], table: table), core: core,
            onReturn: { buffer in
                let storage = buffer.storage
                inbox.buffers.withLock { $0.append(storage) }
            }, onEvent: { event in inbox.events.withLock { $0.append(event) } })
    }

    /// What frame n of all that is ever enqueued sounds like: of 4 million no two are equal, and none is zero.
    static func sample(_ frame: Int64) -> Float {
        0.25 + Float((frame &* 0x1E37_79B1) & 0x3F_FFFF) * 0x1p-23
    }

    // MARK: Buffers

    /// Enqueues a buffer with the next frames.
    func enqueue(frames: Int) {
        var buffer = OutputBuffer(free.popLast() ?? BufferStorage(AudioBufferSize(byteCount: 40_000, packetCount: 64)))
        numbers[ObjectIdentifier(buffer.storage)] = nextNumber
        nextNumber += 1
        let samples = (0..<Int64(frames)).map { Self.sample(enqueuedFrames + $0) }
        enqueuedFrames += Int64(frames)
        _ = buffer.append(bytes: samples.span.bytes)
        queue.enqueue(buffer.storage)
    }

    /// Enqueues the next frames in two buffers that meet in the middle of a frame.
    func enqueueSplit(frames: Int, firstBytes: Int) {
        let samples = (0..<Int64(frames)).map { Self.sample(enqueuedFrames + $0) }
        enqueuedFrames += Int64(frames)
        for range in [0..<firstBytes, firstBytes..<frames * 4] {
            var buffer = OutputBuffer(BufferStorage(AudioBufferSize(byteCount: 40_000, packetCount: 0)))
            _ = buffer.append(bytes: samples.span.bytes.extracting(range))
            queue.enqueue(buffer.storage)
        }
    }

    // MARK: Time

    /// The queue's thread has a turn, and the card takes 5 ms of frames.
    func tick() {
        while core.turn({ queue.take($0) }, { queue.turn() }) == .fed {}
        events += inbox.events.withLock { list in
            defer { list = [] }
            return list
        }
        for storage in inbox.buffers.withLock({ list in
            defer { list = [] }
            return list
        }) {
            returned.append((number: numbers[ObjectIdentifier(storage)] ?? -1, pointer: pointer))
            free.append(storage)
        }
        pointer += Self.tickFrames
        renderer.note(
            DeviceClockReading(
                frame: DeviceFrame(index: pointer),
                host: HostTime(nanoseconds: 1_000_000_000 + pointer * 62_500 / 3)))
        if renderer.wantsEarlierFrame, canRewind {
            let first = min(Int64(output.count), pointer + 2 * Self.tickFrames)
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

    func run(ticks: Int) {
        for _ in 0..<ticks { tick() }
    }

    /// Ticks, for ten seconds at most.
    func run(until isOver: () -> Bool) {
        for _ in 0..<2_000 where !isOver() { tick() }
    }

    var isSilent: Bool { output[Int(pointer)...].allSatisfy { $0 == 0 } }

    // MARK: What was heard

    /// A run of frames that came out as they were enqueued.
    struct Stretch {
        var device: Int
        var song: Int64
        var count: Int
    }

    /// All stretches of untouched frames in what left the card, in order. What lies between is silence or faded.
    func stretches() -> [Stretch] {
        var places: [Float: Int64] = [:]
        for frame in 0..<enqueuedFrames { places[Self.sample(frame)] = frame }
        var stretches: [Stretch] = []
        for (device, sample) in output[..<Int(pointer)].enumerated() {
            guard let song = places[sample] else { continue }
            if let last = stretches.last, last.device + last.count == device, last.song + Int64(last.count) == song {
                stretches[stretches.count - 1].count += 1
            } else {
                stretches.append(Stretch(device: device, song: song, count: 1))
            }
        }
        // A faded sample may look like another by chance.
        return stretches.filter { $0.count >= 8 }
    }

    /// Where between one stretch and the next the number of frames that sounded, faded or not, is not that of the
    /// frames that lie between them in the song.
    func losses() -> [(Stretch, Stretch)] {
        let stretches = stretches()
        return zip(stretches, stretches.dropFirst()).filter { before, after in
            let between = output[before.device + before.count..<after.device]
            return between.count(where: { $0 != 0 }) != Int(after.song - before.song) - before.count
        }.map { ($0, $1) }
    }
}
