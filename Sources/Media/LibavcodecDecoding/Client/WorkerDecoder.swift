import AudioCore
import AudioDecoding

// A worker's output for a packet is fitted to the packet's description: silence follows too few frames, and too many
// are cut. Too few are no damage in the first packet after a reset, from which some codecs output nothing (Vorbis: half
// of its window belongs to the previous packet).
//
// A worker that ends or gets stuck costs the packet it was decoding, and what the codec needs from previous packets. It
// is restarted, but not for ever: a stream that ends worker after worker is given up.

/// Decodes a stream of a foreign codec with a library, in a separate process without privileges.
///
/// Not real-time safe: a packet is an exchange with another process. Used from one thread at a time.
public final class WorkerDecoder: AudioPacketDecoder {
    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0
    /// Workers that ended or got stuck and were restarted.
    public private(set) var restartCount = 0

    private let setup: LibraryDecoderSetup
    private let start: (LibraryDecoderSetup) throws(AudioDecodingError) -> DecodeSession
    private let interrupt: DecodingInterrupt
    /// Nil while no worker runs.
    private var session: DecodeSession?
    /// Whether the next packet is the first one since the start, or the last reset.
    private var isFirstPacket = true
    private var restartsLeft = restartsInARow
    private var wholePacketsInARow = 0

    private static let restartsInARow = 4
    /// Undamaged packets that earn one more restart.
    private static let packetsForOneRestart = 500

    /// Starts a worker, and waits until it is ready.
    /// - Parameter interrupt: ends this wait, and those for packets: `interrupted` is thrown then.
    /// - Throws: `unsupportedCodec` where there is no library or it lacks the codec, `unsupportedFormat` where it
    ///   refuses the magic cookie or is of an untested version, `libraryFailed` where no process can be started.
    public convenience init(
        format: AudioStreamFormat, magicCookie: [UInt8], program: WorkerProgram = .itself,
        interrupt: DecodingInterrupt = DecodingInterrupt()
    ) throws(AudioDecodingError) {
        try self.init(format: format, magicCookie: magicCookie, interrupt: interrupt) {
            setup throws(AudioDecodingError) in
            try .start(setup, program, interrupt)
        }
    }

    /// - Parameter start: starts a worker, at once and after each one that was lost.
    package init(
        format: AudioStreamFormat, magicCookie: [UInt8], interrupt: DecodingInterrupt = DecodingInterrupt(),
        start: @escaping (LibraryDecoderSetup) throws(AudioDecodingError) -> DecodeSession
    ) throws(AudioDecodingError) {
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
        setup = LibraryDecoderSetup(
            codec: format.codec, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame,
            magicCookie: magicCookie, outputsIntegers: Self.hasWideIntegers(format.codec, magicCookie))
        self.start = start
        self.interrupt = interrupt
        session = try start(setup)
    }

    public var outputsIntegers: Bool { setup.outputsIntegers }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        precondition(output.count >= frameCount * channelCount, "no room for the packet's frames")
        guard let frames = try decode(packet, frameCount: frameCount), let session else {
            for index in 0..<(frameCount * channelCount) { output[index] = 0 }
            return
        }
        let isInteger = outputsIntegers
        session.withSamples { bytes in
            copy(frames, into: &output, frameCount: frameCount, silence: 0, mean: { ($0 + $1) / 2 }) { index in
                if isInteger { return Float(bytes.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)) * 0x1p-31 }
                let sample = bytes.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
                return sample.isFinite ? sample : 0
            }
        }
    }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Int32>
    ) throws(AudioDecodingError) {
        precondition(outputsIntegers, "a decoder of floats was asked for integers")
        precondition(output.count >= frameCount * channelCount, "no room for the packet's frames")
        guard let frames = try decode(packet, frameCount: frameCount), let session else {
            for index in 0..<(frameCount * channelCount) { output[index] = 0 }
            return
        }
        session.withSamples { bytes in
            copy(frames, into: &output, frameCount: frameCount, silence: 0, mean: { $0 / 2 + $1 / 2 }) { index in
                bytes.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)
            }
        }
    }

    public func reset(streamFrame: Int64) {
        isFirstPacket = true
        guard let session else { return }
        do {
            try session.reset()
        } catch {
            self.session = nil
        }
    }

    /// The worker's process, for tests that kill it.
    package var workerProcessID: Int32? { session?.process.processID }

    // MARK: Private

    /// Whether samples have more bits than a `Float` holds: by ALAC's specific configuration, or by five bits in FLAC's
    /// STREAMINFO (RFC 9639 section 8.2), stored minus one.
    private static func hasWideIntegers(_ codec: Codec, _ cookie: [UInt8]) -> Bool {
        switch codec {
        case .alac: cookie.count >= 24 && cookie[5] > 24
        case .flac: cookie.count >= 34 && (cookie[12] & 1) << 4 | cookie[13] >> 4 >= 24
        default: false
        }
    }

    /// - Returns: the decoded packet; nil if its worker was lost.
    private func decode(_ packet: RawSpan, frameCount: Int) throws(AudioDecodingError) -> WorkerFrames? {
        try checkLimits(of: packet, frameCount: frameCount)
        let session = try runningSession()
        let frames: WorkerFrames
        do throws(WorkerProcess.Failure) {
            frames = try session.decode(packet)
        } catch {
            self.session = nil
            guard !interrupt.isInterrupted else { throw .interrupted }
            note(isWhole: false)
            return nil
        }
        if frames.frameCount > 0 { try checkFormat(of: frames) }
        // The last ALAC frame may say that it is shorter than the others, although CAF counts it as a whole one.
        let mayBeShort = isFirstPacket || setup.codec == .alac && frames.frameCount > 0
        note(isWhole: frames.isWhole && (frames.frameCount >= frameCount || mayBeShort))
        isFirstPacket = false
        return frames
    }

    private func runningSession() throws(AudioDecodingError) -> DecodeSession {
        if let session { return session }
        guard !interrupt.isInterrupted else { throw .interrupted }
        guard restartsLeft > 0 else {
            throw .libraryFailed(
                operation: "decoding \(setup.codec.commonName)", code: Int32(restartCount),
                text: "the decoder's process ended again and again")
        }
        restartsLeft -= 1
        restartCount += 1
        let session = try start(setup)
        isFirstPacket = true
        self.session = session
        return session
    }

    /// Checks the format, but accepts mono for stereo and vice versa: a decoder that looks for PS outputs two channels
    /// even without it.
    private func checkFormat(of frames: WorkerFrames) throws(AudioDecodingError) {
        guard Double(frames.sampleRate) == sampleRate else { throw .formatChanged }
        guard frames.channelCount == channelCount || max(frames.channelCount, channelCount) == 2,
            frames.channelCount > 0
        else { throw .formatChanged }
    }

    private func note(isWhole: Bool) {
        guard isWhole else {
            damagedPacketCount += 1
            wholePacketsInARow = 0
            return
        }
        wholePacketsInARow += 1
        guard wholePacketsInARow >= Self.packetsForOneRestart else { return }
        wholePacketsInARow = 0
        restartsLeft = min(restartsLeft + 1, Self.restartsInARow)
    }

    /// Fills the packet's frames with the decoded ones, then silence.
    @inline(__always)
    private func copy<Sample>(
        _ frames: WorkerFrames, into output: inout MutableSpan<Sample>, frameCount: Int, silence: Sample,
        mean: (Sample, Sample) -> Sample, sample: (Int) -> Sample
    ) {
        let count = min(frames.frameCount, frameCount)
        switch (frames.channelCount, channelCount) {
        case (2, 1): for index in 0..<count { output[index] = mean(sample(index * 2), sample(index * 2 + 1)) }
        case (1, 2): for index in 0..<(count * 2) { output[index] = sample(index / 2) }
        default: for index in 0..<(count * channelCount) { output[index] = sample(index) }
        }
        for index in (count * channelCount)..<(frameCount * channelCount) { output[index] = silence }
    }
}
