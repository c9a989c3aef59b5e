import AudioCore

// A recording may end at any moment: the process is killed, the disk is full. So the samples are written first and the
// header's sizes after them, once a second: a file lacks one second of the recording at most, and never claims more
// than it has.

/// Writes frames to a WAVE, AIFF or CAF file that is valid at any moment.
///
/// WAVE becomes RF64 (EBU Tech 3306) beyond 4 GiB; AIFF ends at 2 GiB with an error. After an error everything written
/// stays, and the header matches it. Blocks while the disk is slow: not for real-time threads. Used from one thread at
/// a time.
public struct AudioFileWriter: ~Copyable, Sendable {
    public let format: PCMFileFormat
    /// Frames of the file, including buffered ones. After an error: those that are in the file.
    public private(set) var frameCount: Int64 = 0
    private let file: OutputFile
    private let encoding: SampleEncoding
    private let headerByteCount: Int64
    /// Frames whose samples are in the file.
    private var writtenFrameCount: Int64 = 0
    /// Whole frames that are not written yet.
    private var pending: [UInt8] = []
    private let pendingFrameLimit: Int
    private var failure: AudioFileWritingError?
    private var isFinished = false

    /// The most bytes that are buffered.
    static let pendingByteCount = 256 * 1024

    /// Creates the file and writes its header.
    /// - Parameter replaces: whether to replace an existing file; otherwise it is an error.
    public init(path: String, format: PCMFileFormat, replaces: Bool = false) throws(AudioFileWritingError) {
        try self.init(file: try OutputFile(path: path, replaces: replaces), format: format)
    }

    /// Writes to this file and discards its contents.
    public init(file: consuming OutputFile, format: PCMFileFormat) throws(AudioFileWritingError) {
        self.format = format
        encoding = format.encoding
        let header = format.header(frameCount: 0, isWhole: false)
        headerByteCount = Int64(header.count)
        pendingFrameLimit = max(1, min(Int(format.sampleRate), Self.pendingByteCount / format.bytesPerFrame))
        self.file = try Self.begin(file, header)
        pending.reserveCapacity(Self.pendingByteCount)
    }

    /// Writes the header, or removes a file that cannot even take that.
    private static func begin(
        _ file: consuming OutputFile, _ header: [UInt8]
    ) throws(AudioFileWritingError) -> OutputFile {
        do throws(AudioFileWritingError) {
            try file.empty()
            try file.write(header, at: 0)
        } catch {
            file.discard()
            throw error
        }
        return file
    }

    deinit {
        guard !isFinished, failure == nil else { return }
        let count = try? write(pending)
        settle(frameCount: writtenFrameCount + (count ?? 0))
    }

    public var path: String { file.path }

    /// Appends interleaved samples of whole frames; 1 is full scale, and integers are clipped there.
    public mutating func append(_ samples: UnsafeBufferPointer<Float>) throws(AudioFileWritingError) {
        let channelCount = format.channelCount
        precondition(samples.count % channelCount == 0)
        try take(samples.count / channelCount) { range, encoding, bytes in
            let scaled = range.lowerBound * channelCount..<range.upperBound * channelCount
            encoding.append(UnsafeBufferPointer(rebasing: samples[scaled]), to: &bytes)
        }
    }

    /// Appends whole frames of linear PCM that the format's encoding passes unchanged: integers of its own width.
    public mutating func append(pcm: RawSpan, of source: AudioStreamFormat) throws(AudioFileWritingError) {
        let bytesPerFrame = format.bytesPerFrame
        precondition(encoding.passes(source) && source.channelsPerFrame == format.channelCount)
        precondition(pcm.byteCount % bytesPerFrame == 0)
        try pcm.withUnsafeBytes { pcm throws(AudioFileWritingError) in
            try take(pcm.count / bytesPerFrame) { range, encoding, bytes in
                let part = pcm[range.lowerBound * bytesPerFrame..<range.upperBound * bytesPerFrame]
                encoding.append(pcm: UnsafeRawBufferPointer(rebasing: part).bytes, of: source, to: &bytes)
            }
        }
    }

    /// Appends frames of silence. Long silence takes no disk space on file systems with sparse files.
    public mutating func appendSilence(frameCount count: Int64) throws(AudioFileWritingError) {
        let bytesPerFrame = format.bytesPerFrame
        guard count > Int64(pendingFrameLimit), encoding.silence == 0 else {
            var rest = count
            while rest > 0 {
                let part = Int(min(rest, Int64(pendingFrameLimit)))
                try take(part) { range, encoding, bytes in
                    bytes += repeatElement(encoding.silence, count: range.count * bytesPerFrame)
                }
                rest -= Int64(part)
            }
            return
        }
        try flush()
        let fitting = min(count, format.largestFrameCount - frameCount)
        try attempt { writer throws(AudioFileWritingError) in
            try writer.file.resize(to: writer.offset(ofFrame: writer.frameCount + fitting))
            writer.frameCount += fitting
            writer.writtenFrameCount = writer.frameCount
            try writer.writeHeader()
        }
        if fitting < count { try end(.isFull(path: path)) }
    }

    /// Removes frames at the end, down to this count.
    public mutating func truncate(to count: Int64) throws(AudioFileWritingError) {
        precondition(count >= 0)
        guard count < frameCount else { return }
        try flush()
        try attempt { writer throws(AudioFileWritingError) in
            try writer.file.resize(to: writer.offset(ofFrame: count))
            writer.frameCount = count
            writer.writtenFrameCount = count
            try writer.writeHeader()
        }
    }

    /// Writes buffered frames and the header's sizes. Happens automatically once a second while frames come.
    public mutating func flush() throws(AudioFileWritingError) {
        if let failure { throw failure }
        guard !pending.isEmpty else { return }
        try attempt { writer throws(AudioFileWritingError) in
            writer.writtenFrameCount += try writer.write(writer.pending)
            writer.pending.removeAll(keepingCapacity: true)
            try writer.writeHeader()
        }
    }

    /// Writes everything left and syncs it to the disk: the file is complete. Does nothing after an error.
    public mutating func finish() throws(AudioFileWritingError) {
        guard !isFinished, failure == nil else { return }
        try flush()
        isFinished = true
        try attempt { writer throws(AudioFileWritingError) in
            if let failure = writer.settle(frameCount: writer.frameCount).failure { throw failure }
            try writer.file.synchronize()
        }
    }

    /// Removes the file from its directory.
    public func remove() { file.remove() }

    // MARK: Pieces

    /// Encodes frames in pieces, and writes whenever the buffer is full.
    private mutating func take(
        _ count: Int, _ encode: (Range<Int>, SampleEncoding, inout [UInt8]) -> Void
    ) throws(AudioFileWritingError) {
        if let failure { throw failure }
        let fitting = Int(min(Int64(count), format.largestFrameCount - frameCount))
        var done = 0
        while done < fitting {
            let room = pendingFrameLimit - pending.count / format.bytesPerFrame
            let part = min(room, fitting - done)
            let start = pending.count
            encode(done..<done + part, encoding, &pending)
            format.speakers.arrange(&pending, from: start, bytesPerSample: format.samples.byteCount)
            frameCount += Int64(part)
            done += part
            if part == room { try flush() }
        }
        if fitting < count { try end(.isFull(path: path)) }
    }

    private func offset(ofFrame frame: Int64) -> Int64 { headerByteCount + frame * Int64(format.bytesPerFrame) }

    /// Writes frames after those already written.
    private func write(_ bytes: [UInt8]) throws(AudioFileWritingError) -> Int64 {
        try file.write(bytes, at: offset(ofFrame: writtenFrameCount))
        return Int64(bytes.count / format.bytesPerFrame)
    }

    /// Writes the header; CAF's is valid unchanged while the file grows.
    private func writeHeader() throws(AudioFileWritingError) {
        guard format.type != .caf else { return }
        try file.write(format.header(frameCount: writtenFrameCount, isWhole: false), at: 0)
    }

    // MARK: The end

    private mutating func attempt(
        _ body: (inout AudioFileWriter) throws(AudioFileWritingError) -> Void
    ) throws(AudioFileWritingError) {
        do throws(AudioFileWritingError) {
            try body(&self)
        } catch {
            failure = error
            let present = (file.byteCount - headerByteCount) / Int64(format.bytesPerFrame)
            frameCount = settle(frameCount: max(0, min(present, frameCount))).frameCount
            pending = []
            throw error
        }
    }

    /// Ends the file in a valid state, and refuses all further frames.
    private mutating func end(_ error: AudioFileWritingError) throws(AudioFileWritingError) {
        try flush()
        failure = error
        frameCount = settle(frameCount: frameCount).frameCount
        throw error
    }

    /// Makes the file contain exactly these frames, according to its header. On a full disk there may be no room for
    /// the pad byte after an odd size: then the last frame is dropped.
    /// - Returns: the frames that it has, and why the header could not be written.
    @discardableResult
    private func settle(frameCount: Int64) -> (frameCount: Int64, failure: AudioFileWritingError?) {
        var frameCount = frameCount
        try? file.resize(to: offset(ofFrame: frameCount))
        if format.isPadded, frameCount * Int64(format.bytesPerFrame) % 2 == 1,
            (try? file.write([0], at: offset(ofFrame: frameCount))) == nil
        {
            frameCount -= 1
            try? file.resize(to: offset(ofFrame: frameCount))
        }
        do throws(AudioFileWritingError) {
            try file.write(format.header(frameCount: frameCount, isWhole: true), at: 0)
            return (frameCount, nil)
        } catch {
            return (frameCount, error)
        }
    }
}
