import AudioCore

// A recording may end at any moment: its process is killed, its disk full. So samples are written first and the header's
// sizes after them, once a second: a file is short of what was recorded by a second at most, and never promises more
// than it has.

/// Writes frames to a WAVE, AIFF or CAF file that is whole at any moment.
///
/// WAVE becomes RF64 (EBU Tech 3306) beyond 4 GiB; AIFF ends at 2 GiB with an error. After an error all that was
/// written stays, and the header says so. Blocks while the disk is slow: nothing for a real-time thread. One thread at
/// a time.
public struct AudioFileWriter: ~Copyable, Sendable {
    public let format: PCMFileFormat
    /// Frames of the file, those included that are held back for a moment. After an error: those that are in it.
    public private(set) var frameCount: Int64 = 0
    private let file: OutputFile
    private let encoding: SampleEncoding
    private let headerByteCount: Int64
    /// Frames whose samples stand in the file.
    private var writtenFrameCount: Int64 = 0
    /// Whole frames that are not written yet.
    private var pending: [UInt8] = []
    private let pendingFrameLimit: Int
    private var failure: AudioFileWritingError?
    private var isFinished = false

    /// Bytes that are gathered at most.
    static let pendingByteCount = 256 * 1024

    /// Creates the file, its header included.
    /// - Parameter replaces: a file of that name is replaced; without it, it is refused.
    public init(path: String, format: PCMFileFormat, replaces: Bool = false) throws(AudioFileWritingError) {
        try self.init(file: try OutputFile(path: path, replaces: replaces), format: format)
    }

    /// Writes into this file from now on; what it had is gone.
    public init(file: consuming OutputFile, format: PCMFileFormat) throws(AudioFileWritingError) {
        self.format = format
        encoding = format.encoding
        let header = format.header(frameCount: 0, isWhole: false)
        headerByteCount = Int64(header.count)
        pendingFrameLimit = max(1, min(Int(format.sampleRate), Self.pendingByteCount / format.bytesPerFrame))
        self.file = try Self.begin(file, header)
        pending.reserveCapacity(Self.pendingByteCount)
    }

    /// A file that cannot even take its header goes away.
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

    /// Appends interleaved samples of whole frames; 1 is full scale, and what exceeds it is cut in integers.
    public mutating func append(_ samples: UnsafeBufferPointer<Float>) throws(AudioFileWritingError) {
        let channelCount = format.channelCount
        precondition(samples.count % channelCount == 0)
        try take(samples.count / channelCount) { range, encoding, bytes in
            let scaled = range.lowerBound * channelCount..<range.upperBound * channelCount
            encoding.append(UnsafeBufferPointer(rebasing: samples[scaled]), to: &bytes)
        }
    }

    /// Appends whole frames of linear PCM that the format's encoding passes: integers of its own width.
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

    /// Appends frames of silence. Long ones need no room on the disk where its file system knows holes.
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

    /// Takes frames away again, down to this many.
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

    /// Writes what is held back, and the header's sizes. Once a second it happens by itself while frames come.
    public mutating func flush() throws(AudioFileWritingError) {
        if let failure { throw failure }
        guard !pending.isEmpty else { return }
        try attempt { writer throws(AudioFileWritingError) in
            writer.writtenFrameCount += try writer.write(writer.pending)
            writer.pending.removeAll(keepingCapacity: true)
            try writer.writeHeader()
        }
    }

    /// Writes all that is left: the file is whole, and on the disk. After an error nothing is left to do.
    public mutating func finish() throws(AudioFileWritingError) {
        guard !isFinished, failure == nil else { return }
        try flush()
        isFinished = true
        try attempt { writer throws(AudioFileWritingError) in
            if let failure = writer.settle(frameCount: writer.frameCount).failure { throw failure }
            try writer.file.synchronize()
        }
    }

    // MARK: Pieces

    /// Gathers frames in pieces, and writes whenever there are enough.
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

    /// Frames behind those that are written.
    private func write(_ bytes: [UInt8]) throws(AudioFileWritingError) -> Int64 {
        try file.write(bytes, at: offset(ofFrame: writtenFrameCount))
        return Int64(bytes.count / format.bytesPerFrame)
    }

    /// CAF's is right as it is while the file grows.
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

    /// Ends the file whole, and refuses everything from now on.
    private mutating func end(_ error: AudioFileWritingError) throws(AudioFileWritingError) {
        try flush()
        failure = error
        frameCount = settle(frameCount: frameCount).frameCount
        throw error
    }

    /// Makes the file say that it has these frames, and have no more. On a full disk there may be no room for the byte
    /// that makes an odd number even: then the last frame goes.
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
