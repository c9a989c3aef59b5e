import AudioCore
import AudioDecoding
import AudioFileWriting

// From packets to the frames of a file.
//
// Every packet has the position of its first frame, and every frame goes to its own place: frame n of the file is frame
// first + n of the epoch's timeline, even behind a gap. Missing frames are silence, without the ramps that loudspeakers
// get: a recording is also for analysis. A stream's end is announced after its last packets; their padding is in the
// file by then, and is cut off again.
//
// A newer epoch (after a seek, or for other music) is appended where the last one ended. Packets come long before they
// sound, so what a command cut off is in the file already. A pause may be resumed, so these frames stay until another
// epoch begins, or the recording ends; only then are they cut off.

/// Writes a broadcast's packets to a file, each frame at its place. Not thread-safe; blocks while the disk does.
public struct TimelineRecorder: ~Copyable {
    /// Longer than any outage after which a broadcaster is still waited for.
    static let longestGap = TimeSpan.seconds(600)

    static let longestFileList = 100

    public internal(set) var summary = RecordingSummary()
    private let options: RecordingOptions
    private let decoders: DecoderCatalog
    private let interrupt: DecodingInterrupt
    /// The claimed file, until there is something to record.
    private var file: OutputFile?
    private var writer: AudioFileWriter?
    /// The format and frame count of ``writer``.
    private(set) var present: (format: PCMFileFormat, frameCount: Int64)?
    private var epoch: RecordedEpoch?
    /// The epochs in ``writer``, and the cut that is in force.
    private var contents = FileContents()
    /// Duration of earlier files, since their rates may differ.
    private var earlierDuration = TimeSpan.zero

    /// Claims the file's name, so that any problem with it is known before the broadcast begins.
    public static func claim(_ options: RecordingOptions) throws(AudioFileWritingError) -> OutputFile {
        guard PCMFileFormat.type(forPath: options.path) != nil else { throw .unknownExtension(path: options.path) }
        return try OutputFile(path: options.path, replaces: options.replaces)
    }

    /// - Parameters:
    ///   - file: the claimed file, which keeps its contents until there is something to record.
    ///   - interrupt: ends the wait for a decoder; the recording then fails.
    public init(
        _ options: RecordingOptions, file: consuming OutputFile, decoders: DecoderCatalog,
        interrupt: DecodingInterrupt = DecodingInterrupt()
    ) {
        self.options = options
        self.decoders = decoders
        self.interrupt = interrupt
        self.file = consume file
    }

    /// Whether nothing more is wanted.
    public var isFull: Bool { remainingFrameCount == 0 }

    /// Begins a stream: the packets that follow are its own. Those before `firstFrame` are pre-roll.
    public mutating func begin(
        _ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition
    ) throws(RecordingFailure) {
        self.epoch = nil
        try applyCut()
        guard !isFull, let format = stream.format else { return }
        summary.isComplete = false
        let decoder: any AudioPacketDecoder
        do throws(AudioDecodingError) {
            guard Self.positionRange.contains(firstFrame.index) else {
                throw .unsupportedFormat("it begins at \(firstFrame)")
            }
            decoder = try decoders.makeDecoder(
                for: format, magicCookie: stream.magicCookie, interrupt: interrupt)
        } catch {
            throw .decoding(error)
        }
        try open(decoder, stream, format)
        self.epoch = RecordedEpoch(
            epoch: epoch, format: format, decoder: decoder,
            primingFrameCount: stream.packetTable?.primingFrameCount ?? 0, firstFrame: firstFrame)
        contents.append(epoch, firstFrame: firstFrame, at: present?.frameCount ?? 0)
        if summary.frameCount == 0 { summary.firstFrame = firstFrame }
    }

    /// Takes a packet whose first frame lies at `frame`. Skips one that begins before the end of the last.
    public mutating func take(
        _ packet: RawSpan, frame: FramePosition, frameCount: Int, epoch id: Epoch
    ) throws(RecordingFailure) {
        guard var epoch = epoch.take() else { return }
        defer { self.epoch = epoch }
        guard epoch.epoch == id, !isFull, Self.positionRange.contains(frame.index),
            packet.byteCount <= Limits.packetByteCount, (1...Limits.packetFrameCount).contains(frameCount),
            frame >= epoch.expected ?? frame
        else { return }
        let heard = epoch.place(frame, frameCount: frameCount)
        if !heard.isEmpty { try fill(&epoch, to: frame + Int64(heard.lowerBound)) }
        let damaged = epoch.decoder.damagedPacketCount
        try write(packet, frameCount: frameCount, heard, &epoch)
        summary.damagedPacketCount += epoch.decoder.damagedPacketCount - damaged
    }

    /// Sets where the sound goes on behind a gap: packets before `frame` are pre-roll then.
    public mutating func reenter(at frame: FramePosition, epoch id: Epoch) {
        if epoch?.epoch == id { epoch?.reentry = frame }
    }

    /// Ends the epoch before `end`, once all its packets have come.
    public mutating func finish(at end: FramePosition, epoch id: Epoch) throws(RecordingFailure) {
        guard var epoch = epoch.take() else { return }
        defer { self.epoch = epoch }
        guard epoch.epoch == id, !isFull, Self.positionRange.contains(end.index) else { return }
        if epoch.position > end {
            let surplus = min(epoch.position - end, epoch.position - epoch.firstFrame)
            try attempt { writer throws(AudioFileWritingError) in
                try writer.truncate(to: writer.frameCount - surplus)
            }
            epoch.position = epoch.position - surplus
        } else {
            try fill(&epoch, to: end)
        }
        summary.isComplete = true
    }

    /// Ends the sound of an epoch before `frame`, until it is resumed. Whatever follows it is not heard.
    public mutating func cut(at frame: FramePosition, epoch id: Epoch) { contents.cut(id, at: frame) }

    /// Resumes an epoch that was cut.
    public mutating func resume(_ id: Epoch) { contents.resume(id) }

    /// Removes an epoch of which nothing is heard.
    public mutating func drop(_ id: Epoch) throws(RecordingFailure) {
        if epoch?.epoch == id { epoch = nil }
        try truncate(to: contents.remove(id))
    }

    /// Writes buffered frames to the file.
    public mutating func flush() throws(RecordingFailure) {
        try attempt { writer throws(AudioFileWritingError) in try writer.flush() }
    }

    /// Ends the recording and leaves a whole file. Removes one that has nothing.
    public mutating func close() throws(RecordingFailure) {
        epoch = nil
        if let file = file.take() { file.discard() }
        try applyCut()
        try closeWriter()
    }

    // MARK: The file

    /// Cuts off what is not heard for good.
    private mutating func applyCut() throws(RecordingFailure) { try truncate(to: contents.takeCut()) }

    private mutating func truncate(to count: Int64?) throws(RecordingFailure) {
        guard let count else { return }
        try attempt { writer throws(AudioFileWritingError) in try writer.truncate(to: count) }
    }

    private static let positionRange: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    /// Frames until the limit; nil if there is no limit, or no rate yet to count it by.
    var remainingFrameCount: Int64? {
        guard let duration = options.duration, let present else { return nil }
        let rest = (duration - earlierDuration).seconds * present.format.sampleRate
        return max(0, Int64(saturating: rest.rounded()) - present.frameCount)
    }

    /// Goes on in the present file if its format fits, or begins a new one.
    private mutating func open(
        _ decoder: any AudioPacketDecoder, _ stream: AudioStreamSummary, _ format: AudioStreamFormat
    ) throws(RecordingFailure) {
        if let present, present.format.sampleRate == decoder.sampleRate,
            present.format.channelCount == decoder.channelCount
        {
            return
        }
        guard summary.paths.count < Self.longestFileList else { throw .changes(count: summary.paths.count) }
        try closeWriter()
        let path = summary.paths.isEmpty ? options.path : Self.path(options.path, number: summary.paths.count + 1)
        do throws(AudioFileWritingError) {
            var samples = options.samples ?? SampleFormat(of: format, cookie: stream.magicCookie)
            if samples.byteCount > 4 { samples = .float32 }
            let layout = try PCMFileFormat(
                type: PCMFileFormat.type(forPath: path) ?? .wave, sampleRate: decoder.sampleRate,
                channelCount: decoder.channelCount, samples: samples,
                speakers: SpeakerOrder(
                    stream.channelLayout, channelCount: decoder.channelCount, codec: format.codec))
            if let file = file.take() {
                writer = try AudioFileWriter(file: file, format: layout)
            } else {
                writer = try AudioFileWriter(path: path, format: layout, replaces: options.replaces)
            }
            present = (layout, 0)
        } catch {
            throw .file(error)
        }
        summary.paths.append(path)
    }

    /// Returns `song-2.wav` beside `song.wav`.
    static func path(_ path: String, number: Int) -> String {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    private mutating func closeWriter() throws(RecordingFailure) {
        defer {
            earlierDuration = summary.duration
            writer = nil
            present = nil
            contents = FileContents()
        }
        try attempt { writer throws(AudioFileWritingError) in try writer.finish() }
    }

    mutating func attempt(
        _ body: (inout AudioFileWriter) throws(AudioFileWritingError) -> Void
    ) throws(RecordingFailure) {
        guard let present else { return }
        var now = present.frameCount
        defer {
            summary.frameCount += now - present.frameCount
            summary.duration = earlierDuration + TimeSpan(seconds: Double(now) / present.format.sampleRate)
            self.present?.frameCount = now
        }
        do throws(AudioFileWritingError) {
            try Self.apply(body, to: &writer!, frameCount: &now)
        } catch {
            throw .file(error)
        }
    }

    private static func apply(
        _ body: (inout AudioFileWriter) throws(AudioFileWritingError) -> Void, to writer: inout AudioFileWriter,
        frameCount: inout Int64
    ) throws(AudioFileWritingError) {
        defer { frameCount = writer.frameCount }
        try body(&writer)
    }
}
