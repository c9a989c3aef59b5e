import AudioCore

// Rendering is planning and playing. The planner looks at the clocks and at the mailbox and appends a segment to the
// plan: which source, which position, which step, which gains, for at most 256 device frames on a fixed grid of device
// frames. Playing executes segments into the device's buffer. The plan is kept for as long as the device can take
// frames back; see `Segment.swift`.

/// Turns a rendition's frames into the device's, each at its instant.
///
/// Lives on the real-time thread of one open device; owns no thread and reads no clock. After `init` nothing here
/// allocates, locks, retains or throws. A new renderer takes its control over: an older one of the same control must
/// not be called any more (it may be let go before or after).
public struct Renderer: ~Copyable {
    let shared: UnsafeMutablePointer<SharedState>
    let deviceRate: Double
    let channelCount: Int
    let maximumFrameCount: Int
    let grid: Int64

    var model: DACClockModel
    var directive = Directive()
    var history: SegmentHistory
    /// The device frame that is rendered next.
    var cursor: Int64 = 0
    /// The state after the last planned segment.
    var state = PlayState()
    /// A directive arrived that has not been planned for yet, and that should be heard soon.
    var isUrgent = false
    /// A placement that was reported was cut from the plan: the one that takes its place is not news.
    var isPlacedAgain = false
    var counters = Counters()
    var ending = PendingEnd()
    let lengths: FadeLengths

    /// Keeps the shared memory alive; not touched between `init` and `deinit`.
    private let control: PlayoutControl
    private let attachment: Int

    /// - Parameters:
    ///   - control: whose directives it follows; it hears what happens.
    ///   - deviceRate: the device's nominal rate, in hertz.
    ///   - channels: interleaved channels of the device.
    ///   - maximumFrameCount: the device's buffer in frames: how far ``rewind(to:)`` may go back.
    ///   - rateHint: the DAC's rate as remembered from an earlier run of this device.
    public init(
        control: PlayoutControl, deviceRate: Double, channels: Int, maximumFrameCount: Int,
        rateHint: PartsPerMillion? = nil
    ) {
        precondition(deviceRate > 0 && channels > 0 && maximumFrameCount > 0)
        self.control = control
        self.deviceRate = deviceRate
        self.maximumFrameCount = maximumFrameCount
        channelCount = channels
        grid = Int64(Resampler.pieceFrameCount)
        lengths = FadeLengths(deviceRate: deviceRate)
        shared = control.shared
        model = DACClockModel(deviceRate: deviceRate, rateHint: rateHint?.value)
        history = SegmentHistory(frameCount: maximumFrameCount)
        attachment = control.attach(deviceRate: deviceRate, channelCount: channels)
    }

    deinit { control.detach(attachment) }

    /// Feeds the DAC clock model with one reading. Call it with every status of the driver that was quick to obtain.
    public mutating func note(_ timestamp: DeviceTimestamp) {
        model.note(
            frame: timestamp.frame.index, hostNanoseconds: timestamp.host.nanoseconds, isPrompt: timestamp.isPrompt,
            slack: timestamp.slack.seconds)
        reportEnd(heardBefore: model.newestReadingFrame)
    }

    /// From now on readings are taken for what a sound server's plugin guesses: the device's clock is judged over
    /// seconds. Those that were noted before are void.
    public mutating func expectGuesses() { model.expectGuesses() }

    /// Whether readings are worth more than one a period: soon after a start, when the DAC's clock is not known well
    /// yet. The loop may then wait for a millisecond at a time.
    public var wantsReadings: Bool {
        model.wantsReadings && !(directive.isFreeRunning && directive.timeline == nil)
    }

    /// Whether the device's clock has been followed for so long that readings need not come often any more: one in
    /// 50 ms is enough then.
    public var hasSettledClock: Bool { model.isSettled }

    /// Renders the device frames that begin at `first`: interleaved, as many as `output` holds.
    ///
    /// `first` is normally the frame after the last rendered one, or what ``rewind(to:)`` said. Frames that were left
    /// out count as a device restart whose clock still holds.
    public mutating func render(into output: UnsafeMutableBufferPointer<Float>, from first: DeviceFrame) {
        guard let base = output.baseAddress else { return }
        takeDirective()
        if first.index != cursor { jump(to: first.index) }
        if isUrgent { cutPlan() }
        play(into: base, count: output.count / channelCount)
        release()
        publishSnapshot()
    }

    /// Whether a command or a start should be heard sooner than the device's buffer lasts, or a start that nobody has
    /// heard yet can be placed better: the loop may take frames back from the device, say so by ``rewind(to:)``, and
    /// render again. Looks into the mailbox; false again after the next render.
    public var wantsEarlierFrame: Bool {
        mutating get {
            takeDirective()
            reviewStart()
            return isUrgent
        }
    }

    /// The device took frames back: the next render begins at `first`. Without a new command the samples come out the
    /// same again.
    public mutating func rewind(to first: DeviceFrame) {
        guard first.index < cursor else { return }
        if history.index(of: first.index) != nil {
            cursor = first.index
        } else {
            jump(to: first.index)
        }
    }

    /// The device lost its running clock (xrun, suspend): older readings are void, its rate is kept, and the sound is
    /// placed anew from `first`, the next frame to be rendered.
    /// - Parameter unheard: the first frame that was rendered and did not get into the device, if there is one.
    public mutating func deviceDidRestart(at first: DeviceFrame, unheardFrom unheard: DeviceFrame? = nil) {
        counters.xruns += 1
        shared.pointee.events.push(.xrun(frame: first))
        model.restart()
        reportEnd(heardBefore: min(first.index, unheard?.index ?? .max))
        jump(to: first.index, unheard: unheard?.index ?? .max)
    }
}
