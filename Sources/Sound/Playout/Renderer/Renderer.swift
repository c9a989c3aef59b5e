import AudioCore

// Rendering has two halves, planning and playing. The planner reads the clocks and the mailbox and appends a segment to
// the plan: a source, a position, a step and gains, for at most 256 device frames on a fixed grid of device frames.
// Playing renders segments into the device's buffer. The plan is kept as long as the device can take frames back; see
// `Segment.swift`.

/// Renders a rendition's frames as device frames, each at its instant.
///
/// Lives on the real-time thread of one open device; owns no thread and reads no clock. After `init` nothing here
/// allocates, locks, retains or throws. A new renderer takes over its control: an older renderer of that control must
/// no longer be called. It may be released before or after.
public struct Renderer: ~Copyable {
    let shared: UnsafeMutablePointer<SharedState>
    let deviceRate: Double
    let channelCount: Int
    let grid: Int64

    // These three lie outside of the renderer, because the compiler copies all of a renderer for each call that only
    // reads it.
    private let modelMemory: UnsafeMutablePointer<DeviceClockModel>
    private let stateMemory: UnsafeMutablePointer<PlayState>
    /// The latest directive that was taken.
    let directive: UnsafeMutablePointer<Directive>
    var history: SegmentHistory
    /// The device frame that is rendered next.
    var cursor: Int64 = 0
    /// Whether a new directive has not been planned for yet and should be heard soon.
    var isUrgent = false
    /// Whether a reported placement was cut from the plan: its replacement is not reported again.
    var isPlacedAgain = false
    var counters = Counters()
    var endings = PendingEnds()
    let lengths: FadeLengths
    /// Whether the device keeps what is written to it, as far as its loop knows: ``rewind(to:)`` is not called then.
    public var deviceKeepsFrames = false
    /// How many frames the device holds at most, as its loop fills it now: how far ``rewind(to:)`` may go back. All of
    /// its buffer unless the loop says otherwise.
    public var filledFrameCount: Int
    /// Room for one piece of a source that is added to another.
    let mixing: UnsafeMutablePointer<Float>

    /// Keeps the shared memory alive; not used between `init` and `deinit`.
    private let control: PlayoutControl
    private let attachment: Int

    /// - Parameters:
    ///   - control: the control whose directives it follows, and to which it reports.
    ///   - deviceRate: the device's nominal rate, in hertz.
    ///   - channels: interleaved channels of the device.
    ///   - maximumFrameCount: the device's buffer in frames.
    ///   - rateHint: the DAC's rate as remembered from an earlier run of this device.
    ///   - wake: has the device's loop look at ``wantsEarlierFrame`` at once: called for every command that should be
    ///     heard before the device's buffer has played out, on the commanding thread, under the control's lock.
    public init(
        control: PlayoutControl, deviceRate: Double, channels: Int, maximumFrameCount: Int,
        rateHint: PartsPerMillion? = nil, wake: (@Sendable () -> Void)? = nil
    ) {
        precondition(deviceRate > 0 && channels > 0 && maximumFrameCount > 0)
        self.control = control
        self.deviceRate = deviceRate
        filledFrameCount = maximumFrameCount
        channelCount = channels
        grid = Int64(Resampler.pieceFrameCount)
        lengths = FadeLengths(deviceRate: deviceRate)
        modelMemory = .allocate(capacity: 1)
        modelMemory.initialize(to: DeviceClockModel(deviceRate: deviceRate, rateHint: rateHint?.value))
        stateMemory = .allocate(capacity: 1)
        stateMemory.initialize(to: PlayState())
        directive = .allocate(capacity: 1)
        directive.initialize(to: Directive())
        mixing = .allocate(capacity: Resampler.pieceFrameCount * channels)
        mixing.initialize(repeating: 0, count: Resampler.pieceFrameCount * channels)
        shared = control.shared
        history = SegmentHistory(frameCount: maximumFrameCount)
        attachment = control.attach(deviceRate: deviceRate, channelCount: channels, wake: wake)
    }

    deinit {
        control.detach(attachment)
        mixing.deallocate()
        directive.deallocate()
        stateMemory.deallocate()
        modelMemory.deinitialize(count: 1)
        modelMemory.deallocate()
    }

    /// The device's clock.
    var model: DeviceClockModel {
        unsafeAddress { UnsafePointer(modelMemory) }
        unsafeMutableAddress { modelMemory }
    }

    /// The state after the last planned segment.
    var state: PlayState {
        unsafeAddress { UnsafePointer(stateMemory) }
        unsafeMutableAddress { stateMemory }
    }

    /// Feeds one reading to the clock model. Call it for every driver status that was quick to obtain.
    public mutating func note(_ reading: DeviceClockReading) {
        model.note(
            frame: reading.frame.index, hostNanoseconds: reading.host.nanoseconds, occasion: reading.occasion,
            slack: reading.slack.seconds)
        reportEnd(heardBefore: model.newestReadingFrame)
    }

    /// Treats readings as a sound server's guesses from now on: the device's clock is judged over seconds. Earlier
    /// readings are dropped.
    public mutating func treatReadingsAsGuesses() { model.treatReadingsAsGuesses() }

    /// How often readings are useful beside those of wakes: soon after a start, while the DAC's clock is not known
    /// well. The loop may then wait for so long at a time. Nil if they are not.
    public var readingInterval: TimeSpan? {
        needsNoClock ? nil : model.readingInterval
    }

    private var needsNoClock: Bool {
        directive.pointee.isFreeRunning && directive.pointee.stretches.first?.timeline == nil
    }

    /// When to look for the next burst of a pointer that moves in bursts; nil if that does not help, or not now. The
    /// loop then feeds the readings of the search, each as ``ReadingOccasion/search``, while it ``isSearching``.
    public mutating func burstSearch(after now: HostTime) -> BurstSearch? {
        needsNoClock ? nil : model.burstSearch(after: now)
    }

    /// Whether a search goes on: its newest reading did not show the burst yet.
    public var isSearching: Bool { model.searcher.isLooking }

    /// Whether the device may wake its thread seldom: its clock has been followed for long enough, and it is no
    /// sound server. A server takes how much must be writable at a wake for the latency that is wanted of it, and
    /// changes its cycle, for all of its programs, so that its clock moves.
    public var mayWakeSeldom: Bool { model.isSettled && !isSpanOfServer(spanBehindBuffer) }

    /// Whether the loop may render further ahead, and look more seldom: so much sound is there beyond what is rendered,
    /// as there is not where a live source is to be heard soon after it sounded; and the device's clock does not need
    /// every wake, as that of a pointer does that moves in bursts which are not searched for.
    public var mayRenderFarAhead: Bool {
        state.mode == .sounding && Double(framesAhead()) >= Timing.ampleSeconds * deviceRate && !model.needsEveryWake
    }

    /// Renders the device frames that begin at `first`: interleaved, as many as `output` holds.
    ///
    /// `first` is normally the frame after the last rendered one, or the argument of ``rewind(to:)``. Skipped frames
    /// count as a device restart whose clock still holds.
    public mutating func render(into output: UnsafeMutableBufferPointer<Float>, from first: DeviceFrame) {
        guard let base = output.baseAddress else { return }
        takeDirective()
        if first.index != cursor { jump(to: first.index, heardUpTo: model.newestReadingFrame) }
        if isUrgent { cutPlan() }
        play(into: base, count: output.count / channelCount)
        release()
        publishSnapshot()
    }

    /// Whether the loop should take frames back from the device, call ``rewind(to:)`` and render again: a command or a
    /// start could be heard before the device's buffer has played out, or a start that nobody has heard yet can be
    /// placed better. Checks the mailbox; false again after the next render.
    public var wantsEarlierFrame: Bool {
        mutating get {
            takeDirective()
            reviewStart()
            return isUrgent
        }
    }

    /// Tells the renderer that the device took frames back: the next render begins at `first`. Without a new command it
    /// produces the same samples again.
    public mutating func rewind(to first: DeviceFrame) {
        guard first.index < cursor else { return }
        if history.index(of: first.index) != nil {
            cursor = first.index
        } else {
            jump(to: first.index, heardUpTo: model.newestReadingFrame)
        }
    }

    /// Tells the renderer that the device's clock was interrupted (xrun, suspend). Older readings are dropped, the rate
    /// is kept, and the sound is placed again from `first`, the next frame to be rendered.
    /// - Parameter unheard: the first rendered frame that never reached the device, if any.
    public mutating func deviceDidRestart(at first: DeviceFrame, unheardFrom unheard: DeviceFrame? = nil) {
        counters.xruns += 1
        shared.pointee.events.push(.xrun(frame: first))
        let heard = model.newestReadingFrame
        model.restart()
        reportEnd(heardBefore: min(first.index, unheard?.index ?? .max))
        jump(to: first.index, unheard: unheard?.index ?? .max, heardUpTo: heard)
    }
}
