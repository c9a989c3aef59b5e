import AudioCore
import AudioQueueServices
import HostSystem
import Playout
import Songs

/// Plays one song: reads it into the buffers of a ``PlayerOutput``. ``beginNext()`` moves to the next song of its
/// source.
///
/// Runs on the thread that calls ``run(_:)``; a signal of the inbox ends every wait.
struct SongPlayer: ~Copyable {
    enum Ending { case heard, stopped, next, previous }

    let inbox: PlayerInbox
    private let output: PlayerOutput
    let name: String
    /// Where it lies; nil if it is no file.
    private let path: String?
    private let isLastSource: Bool
    private var settings: PlayerSettings
    private let emit: @Sendable (RuntimeEvent) -> Void
    var stream: SongStream
    var stage = PacketStage()
    /// Whether the song is known, and the queue has its format.
    var isBegun = false
    /// Whether all of it is enqueued.
    var isDrained = false
    var isPaused = false
    var isStarving = false
    var hasEnded = false
    var failure: RuntimeFailure?
    /// How many of the problems found before the song begins were reported.
    var reportedProblemCount = 0
    private var counters = (xruns: 0, underruns: 0)
    private var nextStatus = HostTime.now()

    /// - Parameter isLast: whether no source follows this one.
    /// - Throws: what is wrong with the song's name, or with what it names.
    init(
        _ name: String, isLast: Bool, settings: PlayerSettings, inbox: PlayerInbox, output: PlayerOutput,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) {
        self.name = name
        isLastSource = isLast
        self.settings = settings
        self.inbox = inbox
        self.output = output
        self.emit = emit
        do throws(SongFailure) {
            stream = SongStream(try SongSource.make(name, raw: settings.raw), probe: .trial)
            path = SongSource.path(ofFile: name)
        } catch {
            throw RuntimeFailure(error)
        }
    }

    /// - Parameter settings: left as they are when the song is over.
    /// - Throws: what is wrong with the song or the device.
    mutating func run(_ settings: inout PlayerSettings) throws(RuntimeFailure) -> Ending {
        defer { settings = self.settings }
        while true {
            if inbox.isStopped { return leave(.stopped) }
            while let command = inbox.takeCommand() {
                if let ending = perform(command) { return leave(ending) }
            }
            for event in inbox.takeEvents() { take(event) }
            if let failure {
                output.fallSilent()
                throw failure
            }
            if hasEnded { return leave(.heard) }
            let isFull = try fillBuffers()
            if HostTime.now() >= nextStatus { emitStatus() }
            let pause = max(.zero, nextStatus - .now())
            if isFull { inbox.wake.wait(atMost: pause) } else { stream.wait(atMost: pause, wake: inbox.wake) }
        }
    }

    // MARK: Reading

    /// Fills the free buffers. Returns whether there is nothing to do until one comes back.
    private mutating func fillBuffers() throws(RuntimeFailure) -> Bool {
        if !isBegun {
            guard try begin() else { return false }
        }
        while !isDrained {
            guard try readPackets() else { return false }
            guard try fillBuffer() else { return true }
        }
        return true
    }

    /// Reads until the song is known, and starts it. Returns false if the source has not delivered enough yet.
    private mutating func begin() throws(RuntimeFailure) -> Bool {
        let isRead = try readPackets()
        let summary = stream.summary
        // Reported now, because skipping what precedes the song may take long.
        for problem in summary.problems.dropFirst(reportedProblemCount) where !problem.isTruncation {
            emit(.notice(.song(.damaged(problem))))
        }
        reportedProblemCount = summary.problems.count
        guard isRead else { return false }
        guard let format = summary.format, !stage.isEmpty else {
            throw RuntimeFailure(.unusableInput, .noAudio(name: name))
        }
        try output.begin(summary, format, gain: summary.loudnessGain(settings.loudness))
        isBegun = true
        applyVolume(ramp: .zero)
        while !isDrained, try readPackets(), try fillBuffer() {}
        output.start(format)
        return true
    }

    /// Reads until there are packets, or known to be no more. Returns false if the source has none yet.
    mutating func readPackets() throws(RuntimeFailure) -> Bool {
        while stage.isEmpty, !stream.isFinished {
            do throws(SongFailure) {
                _ = try stream.advance(into: &stage)
            } catch {
                if stage.isEmpty, !isBegun { throw RuntimeFailure(error) }
                // What was read is still played.
                emit(.notice(.song(.cutShort(error))))
            }
            emitStreamEvents()
            if stream.isWaiting { return false }
        }
        return true
    }

    /// Fills one buffer as far as the source has packets now. Returns false if none is free.
    private mutating func fillBuffer() throws(RuntimeFailure) -> Bool {
        guard !stage.isEmpty else {
            isDrained = true
            output.drain()
            return true
        }
        guard var buffer = output.takeBuffer() else { return false }
        var frames = 0
        while !stage.fill(&buffer, frames: &frames, atMost: output.framesPerBuffer), try readPackets(), !stage.isEmpty {
        }
        output.enqueue(buffer)
        isStarving = false
        return true
    }

    /// Passes on titles and remarks that the stream produced.
    func emitStreamEvents() {
        for event in stream.takeEvents() {
            switch event {
            case .notice(let level, let text): emit(.notice(.song(.remark(level, text))))
            case .title(let title): emit(.notice(.song(.title(title))))
            }
        }
    }

    // MARK: Commands and events

    /// - Returns: how the song ends, if the command ends it.
    private mutating func perform(_ command: PlayerCommand) -> Ending? {
        switch command {
        case .togglePause: setPaused(!isPaused)
        case .setPaused(let isPaused): setPaused(isPaused)
        case .seek(let span):
            let frame = output.position + frameCount(of: span)
            if let end, frame >= end { return .next }
            seek(to: frame)
        case .setPosition(let position):
            let frame = FramePosition(frameCount(of: position))
            if let end, frame >= end { return .next }
            seek(to: frame)
        case .setVolume(let volume): setVolume(volume)
        case .changeVolume(let change): setVolume(settings.volume.changed(by: change))
        case .toggleMute:
            settings.isMuted.toggle()
            applyVolume(ramp: .milliseconds(50))
        case .nextSong: return .next
        case .previousSong:
            // Back to the previous song within the first three seconds, later to this one's beginning.
            guard output.position.index > frameCount(of: .seconds(3)) else { return .previous }
            seek(to: .zero)
        }
        emitStatus()
        return nil
    }

    private mutating func setPaused(_ isToPause: Bool) {
        guard isToPause != isPaused else { return }
        isPaused = isToPause
        if isPaused { output.pause() } else { output.resume() }
    }

    private mutating func setVolume(_ volume: Volume) {
        (settings.volume, settings.isMuted) = (volume, false)
        applyVolume(ramp: .milliseconds(50))
    }

    private func applyVolume(ramp: TimeSpan) {
        output.setVolume(settings.volume.gain, isMuted: settings.isMuted, ramp: ramp)
    }

    private func frameCount(of span: TimeSpan) -> Int64 {
        Int64(span.seconds * (stream.summary.format?.sampleRate ?? 0))
    }

    private mutating func seek(to frame: FramePosition) {
        guard isBegun else { return }
        let wanted = max(.zero, frame)
        do throws(SongFailure) {
            let nextPacket = try stream.seek(to: wanted)
            stage.removeAll()
            isDrained = false
            output.reset(to: wanted, nextPacketAt: nextPacket)
            // The song may have ended in the meantime.
            _ = inbox.takeEvents()
            if !isPaused { output.resume() }
        } catch {
            emit(.notice(.song(.notSeekable(error))))
        }
    }

    private mutating func take(_ event: OutputQueueEvent) {
        nextStatus = .now()
        switch event {
        case .runningChanged(let isRunning): hasEnded = !isRunning && isDrained
        case .underrun:
            guard !isDrained else { return }
            counters.underruns += 1
            isStarving = true
            emit(.notice(.song(.tooSlow(name: name.withoutCredentials))))
        case .xrun:
            counters.xruns += 1
            emit(.notice(.device(.xrun(isPlacedAnew: false))))
        case .deviceVanished(let error): emit(.notice(.device(.vanished(error))))
        case .deviceReturned(let device): emit(.notice(.device(.returned(name: device.name))))
        case .deviceLost(let error): failure = RuntimeFailure(.unavailable, .output(error))
        case .notice(let text): emit(.notice(.device(.remark(text))))
        case .decodingFailed(let error):
            failure = RuntimeFailure(.unusableInput, .undecodable(name: name, error))
        }
    }

    private mutating func leave(_ ending: Ending) -> Ending {
        if ending != .heard { output.fallSilent() }
        emitStatus(isOver: true)
        return ending
    }

    // MARK: Display

    /// The frame after the song's last; nil if unknown.
    private var end: FramePosition? { stream.summary.packetTable?.validFrameCount.map { FramePosition($0) } }

    private mutating func emitStatus(isOver: Bool = false) {
        nextStatus = .now() + settings.statusInterval
        guard isBegun else { return }
        let elapsed = isOver && hasEnded ? end ?? output.position : output.position
        var song = SongStatus(stream.summary, elapsed: elapsed, end: nil)
        if stream.summary.info[.title] == nil { song.title = (try? SongAddress(name))?.title ?? name }
        song.path = path
        let state: PlayStatus.State =
            isOver ? .ended : isPaused ? .paused : isStarving ? .starving : .playing
        emit(
            .playing(
                PlayStatus(
                    state: state, song: song, volume: settings.volume, isMuted: settings.isMuted,
                    hasNext: !isLastSource || stream.hasNext, xruns: counters.xruns, underruns: counters.underruns)))
    }
}

/// What a player keeps from song to song.
struct PlayerSettings {
    /// The format of samples without a header.
    let raw: RawPCMFormat?
    let loudness: LoudnessMode
    let statusInterval: TimeSpan
    var volume: Volume
    var isMuted = false

    init(_ options: PlayOptions) {
        raw = options.raw
        loudness = options.loudness
        statusInterval = options.statusInterval
        volume = options.volume
    }
}
