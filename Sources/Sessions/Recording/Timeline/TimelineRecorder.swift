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
// epoch begins, or the recording ends; only then are they cut off. Where the format changed in between they lie in
// several files. So the newest files stay open, as many as there are epochs between what is heard and what is sent; one
// that is left with nothing is removed, and its number is free again.

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
    /// The newest files, which a command may still shorten; frames are written to the last one.
    private var files: [RecordedFile] = []
    /// The files before them: final.
    private var finished = (paths: [String](), frameCount: Int64(0), duration: TimeSpan.zero)
    private var epoch: RecordedEpoch?
    /// The frame before which an epoch's sound ends, for now.
    private var cut: (epoch: Epoch, frame: FramePosition)?

    /// The epoch that is heard, and the three behind it that a broadcaster sends, may each lie in a file of its own.
    private static let openFileCount = 4

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
        present?.contents.append(epoch, firstFrame: firstFrame, at: present?.frameCount ?? 0)
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

    /// Ends the sound of an epoch before `frame`, until it is resumed. Whatever follows it is not heard, in later files
    /// neither. An epoch is not found any more when more than three formats have followed its own.
    public mutating func cut(at frame: FramePosition, epoch id: Epoch) {
        guard files.contains(where: { $0.contents.holds(id) }) else { return }
        // Beyond the range lies no frame of any file.
        let index = min(max(frame.index, Self.positionRange.lowerBound), Self.positionRange.upperBound)
        cut = (id, FramePosition(index))
    }

    /// Resumes an epoch that was cut.
    public mutating func resume(_ id: Epoch) { if cut?.epoch == id { cut = nil } }

    /// Removes an epoch of which nothing is heard, and what follows it.
    public mutating func drop(_ id: Epoch) throws(RecordingFailure) {
        if epoch?.epoch == id { epoch = nil }
        guard let index = files.firstIndex(where: { $0.contents.holds(id) }) else { return }
        try keep(files[index].contents.remove(id), ofFileAt: index)
    }

    /// Writes buffered frames to the files.
    public mutating func flush() throws(RecordingFailure) {
        for file in files { try attempt(file) { writer throws(AudioFileWritingError) in try writer.flush() } }
    }

    /// Ends the recording and leaves whole files. Removes one that has nothing, unless it is the only one.
    public mutating func close() throws(RecordingFailure) {
        epoch = nil
        if let file = file.take() { file.discard() }
        var failure: RecordingFailure?
        do throws(RecordingFailure) { try applyCut() } catch { failure = error }
        removeIfEmpty()
        while !files.isEmpty {
            do throws(RecordingFailure) { try finishOldest() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    // MARK: The files

    /// The file that is written.
    var present: RecordedFile? { files.last }

    private var fileCount: Int { finished.paths.count + files.count }

    /// Cuts off what is not heard for good.
    private mutating func applyCut() throws(RecordingFailure) {
        guard let cut = cut.take(), let index = files.firstIndex(where: { $0.contents.holds(cut.epoch) }) else {
            return
        }
        try keep(files[index].contents.end(cut.epoch, before: cut.frame), ofFileAt: index)
    }

    /// Cuts off what stands behind so many frames of a file, and removes the files behind it.
    private mutating func keep(_ count: Int64?, ofFileAt index: Int) throws(RecordingFailure) {
        guard let count else { return }
        let written = present
        while files.count > index + 1 { removeLast() }
        try attempt { writer throws(AudioFileWritingError) in try writer.truncate(to: count) }
        removeIfEmpty()
        // What was decoded for the file that went fits no other.
        if present !== written { epoch = nil }
        if let id = epoch?.epoch, !files.contains(where: { $0.contents.holds(id) }) { epoch = nil }
        if let id = cut?.epoch, !files.contains(where: { $0.contents.holds(id) }) { cut = nil }
    }

    private mutating func removeIfEmpty() { if fileCount > 1, present?.frameCount == 0 { removeLast() } }

    private mutating func removeLast() {
        files.removeLast().remove()
        count()
        summary.paths = finished.paths + files.map(\.path)
    }

    /// Lets go of the oldest open file: it is final.
    private mutating func finishOldest() throws(RecordingFailure) {
        let file = files[0]
        defer {
            finished.paths.append(file.path)
            finished.frameCount += file.frameCount
            finished.duration = finished.duration + file.duration
            files.removeFirst()
        }
        try attempt(file) { writer throws(AudioFileWritingError) in try writer.finish() }
    }

    private static let positionRange: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    /// Frames until the limit; nil if there is no limit, or no rate yet to count it by.
    var remainingFrameCount: Int64? {
        guard let duration = options.duration, let present else { return nil }
        let earlier = files.dropLast().reduce(finished.duration) { $0 + $1.duration }
        let rest = (duration - earlier).seconds * present.format.sampleRate
        return max(0, Int64(saturating: rest.rounded()) - present.frameCount)
    }

    /// Goes on in the present file if its format fits, or begins a new one.
    private mutating func open(
        _ decoder: any AudioPacketDecoder, _ stream: AudioStreamSummary, _ format: AudioStreamFormat
    ) throws(RecordingFailure) {
        var samples = options.samples ?? SampleFormat(of: format, cookie: stream.magicCookie)
        if samples.byteCount > 4 { samples = .float32 }
        if let present, present.format.sampleRate == decoder.sampleRate,
            present.format.channelCount == decoder.channelCount, present.format.samples.holds(samples)
        {
            return
        }
        // One without frames makes room.
        if let present, present.frameCount == 0 { files.removeLast() }
        guard fileCount < Self.longestFileList else { throw .changes(count: fileCount) }
        if files.count == Self.openFileCount { try finishOldest() }
        let path = fileCount == 0 ? options.path : Self.path(options.path, number: fileCount + 1)
        do throws(AudioFileWritingError) {
            let layout = try PCMFileFormat(
                type: PCMFileFormat.type(forPath: path) ?? .wave, sampleRate: decoder.sampleRate,
                channelCount: decoder.channelCount, samples: samples,
                speakers: SpeakerOrder(
                    stream.channelLayout, channelCount: decoder.channelCount, codec: format.codec))
            if let file = file.take() {
                files.append(RecordedFile(try AudioFileWriter(file: file, format: layout)))
            } else {
                let replaces = options.replaces || summary.paths.contains(path)
                files.append(RecordedFile(try AudioFileWriter(path: path, format: layout, replaces: replaces)))
            }
        } catch {
            throw .file(error)
        }
        summary.paths = finished.paths + files.map(\.path)
    }

    /// Returns `song-2.wav` beside `song.wav`.
    static func path(_ path: String, number: Int) -> String {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    /// Changes the file that is written.
    mutating func attempt(
        _ body: (inout AudioFileWriter) throws(AudioFileWritingError) -> Void
    ) throws(RecordingFailure) {
        guard let present else { return }
        try attempt(present, body)
    }

    private mutating func attempt(
        _ file: RecordedFile, _ body: (inout AudioFileWriter) throws(AudioFileWritingError) -> Void
    ) throws(RecordingFailure) {
        defer { count() }
        do throws(AudioFileWritingError) {
            try file.change(body)
        } catch {
            throw .file(error)
        }
    }

    private mutating func count() {
        summary.frameCount = files.reduce(finished.frameCount) { $0 + $1.frameCount }
        summary.duration = files.reduce(finished.duration) { $0 + $1.duration }
    }
}
