import AudioCore
import Playout

// A simulated sound card: frame n leaves the loudspeaker at exactly opened + n / rate.
//
// Like a real card it holds some frames that are written and not heard yet; `advance` fills it up to that lead. If
// called late, it renders all that became due: the card never runs dry, and its time axis never breaks.

/// The pure part of a virtual output: takes instants, gives frames.
struct VirtualCard: ~Copyable {
    private var renderer: Renderer
    private let rate: Double
    private let channelCount: Int
    private let opened: HostTime
    private let leadFrameCount: Int64
    private let block: UnsafeMutableBufferPointer<Float>
    /// The next frame to be rendered.
    private(set) var written = DeviceFrame.zero

    /// The most frames in one call of the sink.
    static let blockFrameCount = 480

    /// - Parameter lead: how far ahead of what is heard frames are rendered.
    init(control: PlayoutControl, rate: Double, channelCount: Int, opened: HostTime, lead: TimeSpan) {
        self.rate = rate
        self.channelCount = channelCount
        self.opened = opened
        leadFrameCount = Int64(saturating: lead.seconds * rate)
        renderer = Renderer(
            control: control, deviceRate: rate, channels: channelCount,
            maximumFrameCount: max(Int(leadFrameCount), Self.blockFrameCount))
        block = .allocate(capacity: Self.blockFrameCount * channelCount)
        block.initialize(repeating: 0)
    }

    deinit { block.deallocate() }

    /// Renders every frame due by `now`, plus the lead, and passes it to `sink` in blocks.
    mutating func advance<Failure: Error>(
        to now: HostTime, into sink: (UnsafeBufferPointer<Float>) throws(Failure) -> Void
    ) throws(Failure) {
        let heard = max(0, Int64(saturating: ((now - opened).seconds * rate).rounded(.down)))
        renderer.note(DeviceClockReading(frame: DeviceFrame(index: heard), host: host(of: heard)))
        let target = DeviceFrame(index: heard &+ leadFrameCount)
        while written < target {
            let count = Int(min(target - written, Int64(Self.blockFrameCount)))
            let frames = UnsafeMutableBufferPointer(rebasing: block[..<(count * channelCount)])
            renderer.render(into: frames, from: written)
            written += Int64(count)
            try sink(UnsafeBufferPointer(frames))
        }
    }

    private func host(of frame: Int64) -> HostTime {
        opened + TimeSpan(seconds: Double(frame) / rate)
    }
}
