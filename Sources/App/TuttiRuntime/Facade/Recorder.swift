import AudioCore
import AudioDecoding
import AudioFileWriting
import Listening
import NIOCore
import Recording

/// Records a broadcast into a file: `tutti record --from` without its terminal.
public final class Recorder: Sendable {
    private let options: RecordOptions
    private let identity: Identity
    private let control = RunControl()

    public init(options: RecordOptions, identity: Identity) {
        self.options = options
        self.identity = identity
    }

    /// Runs until the broadcast ended, the requested length was recorded, or ``stop()``; blocks the calling thread.
    /// Always reports at the end what was recorded.
    /// - Parameter handler: called for every event, one call at a time.
    /// - Throws: why it could not begin, or not go on. What was recorded by then is in the file.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        let outlet = try RecordingOutlet(recording, decoders: .complete)
        let outcome = Result { () throws(RuntimeFailure) in try record(into: outlet, handler) }
        outlet.close()
        let (summary, failure) = outlet.result
        for notice in summary.notices { handler(.notice(.recording(notice))) }
        if let failure { throw failure }
        // A recording that the user stops is complete.
        return try outcome.get() == .interrupted && summary.frameCount == 0 ? .interrupted : .completed
    }

    /// Says goodbye and ends; what came is in the file. Any thread may call it, also before `run`.
    public func stop() { control.stop() }

    private func record(
        into outlet: RecordingOutlet, _ handler: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) -> RuntimeOutcome {
        try control.run { loop in
            let runner = ListenRunner(
                options: self.joinOptions, identity: self.identity, loop: loop, recordingInto: outlet, emit: handler)
            self.control.onStop(loop) { runner.stop() }
            return runner.run().flatMapThrowing { try RuntimeOutcome($0) }
        }
    }

    private var recording: RecordingOptions {
        var recording = RecordingOptions(path: options.path)
        recording.replaces = options.replaces
        recording.duration = options.duration
        recording.samples = options.samples.format
        return recording
    }

    private var joinOptions: JoinOptions {
        var join = JoinOptions()
        join.from = options.from
        join.address = options.address
        join.name = options.name ?? Identity.name(identity.name, marked: "recording")
        join.once = !options.follows
        join.pins = options.pins
        join.network = options.network
        return join
    }
}

extension RecordOptions.Samples {
    /// Nil for the song's or the device's own.
    var format: SampleFormat? {
        switch self {
        case .asTheyAre: nil
        case .integer(let bits): .integer(bits: bits)
        case .float: .float32
        }
    }
}

extension RecordingSummary {
    /// The notices for the user.
    fileprivate var notices: [RecordingNotice] {
        guard frameCount > 0 else { return [.nothingRecorded] }
        var notices: [RecordingNotice] = [
            .recorded(duration, frameCount: frameCount, paths: paths, firstFrame: firstFrame)
        ]
        if missingFrameCount > 0 { notices.append(.framesMissing(count: missingFrameCount)) }
        if damagedPacketCount > 0 { notices.append(.packetsDamaged(count: damagedPacketCount)) }
        return notices
    }
}
