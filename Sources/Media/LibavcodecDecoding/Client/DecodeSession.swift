import AudioCore
import AudioDecoding

/// The result of decoding one packet.
struct WorkerFrames {
    var isWhole: Bool
    var sampleRate: Int
    var channelCount: Int
    var frameCount: Int
}

/// A worker with an open decoder for a stream.
///
/// The worker is not trusted: sizes are checked against each other and against ``AudioCore/Limits``.
package final class DecodeSession {
    let process: WorkerProcess
    /// The body of the worker's last message, and what is left behind it of longer ones.
    private var body: [UInt8] = []
    /// Bytes of the last message's body.
    private var bodyByteCount = 0

    enum Failure: Error {
        /// The worker could not be started, ended, or did not answer.
        case process(WorkerProcess.Failure)
        /// The worker found no library to load.
        case noLibrary
        /// The library is not one that is believed; why, for people.
        case unsupportedLibrary(String)
        /// The library has no decoder for the codec.
        case missingDecoder
        /// The library rejects the stream's setup; its error number.
        case refused(Int32)
    }

    /// Loading takes some 40 ms; a machine under heavy load may need many times that.
    private static let secondsToStart = 10.0
    /// A packet takes well under a millisecond.
    private static let secondsForOnePacket = 3.0

    /// - Parameter socket: to whoever answers like a worker.
    init(socket: Int32) { process = WorkerProcess(socket: socket, interrupt: DecodingInterrupt()) }

    /// Starts the worker.
    /// - Parameter interrupt: ends every wait for it.
    init(program: WorkerProgram, interrupt: DecodingInterrupt = DecodingInterrupt()) throws(Failure) {
        do throws(WorkerProcess.Failure) {
            process = try WorkerProcess(program, interrupt: interrupt)
        } catch {
            throw .process(error)
        }
    }

    /// Waits until the worker has loaded its library and dropped its privileges, and opens a decoder.
    func open(_ setup: LibraryDecoderSetup) throws(Failure) {
        let deadline = Deadline(seconds: Self.secondsToStart)
        do throws(WorkerProcess.Failure) {
            let size = WorkerMessageHeader.readyByteCount
            _ = try process.receive(.ready, size: size...size, into: &body, by: deadline)
        } catch {
            throw .process(error)
        }
        let (codec, util) = (Int(body.number(at: 0)), Int(body.number(at: 4)))
        guard codec != 0 else { throw .noLibrary }
        if let objection = CodecLibraryVersion.objection(toCodec: codec, util: util) {
            throw .unsupportedLibrary(objection)
        }
        do throws(WorkerProcess.Failure) {
            try process.send(.open, setup.message.span.bytes, by: deadline)
            _ = try process.receive(.opened, size: 8...8, into: &body, by: deadline)
        } catch {
            throw .process(error)
        }
        switch WorkerStatus(rawValue: body.number(at: 0)) {
        case .fine: return
        case .missingDecoder: throw .missingDecoder
        case .refused: throw .refused(Int32(bitPattern: body.number(at: 4)))
        case nil: throw .process(.ended)
        }
    }

    func decode(_ packet: RawSpan) throws(WorkerProcess.Failure) -> WorkerFrames {
        let deadline = Deadline(seconds: Self.secondsForOnePacket)
        try process.send(.decode, packet, by: deadline)
        let headerByteCount = WorkerMessageHeader.framesByteCount
        let size = try process.receive(
            .frames, size: headerByteCount...WorkerMessageHeader.largestAnswer, into: &body, by: deadline)
        let frames = WorkerFrames(
            isWhole: body.number(at: 0) == 1, sampleRate: Int(body.number(at: 4)),
            channelCount: Int(body.number(at: 8)), frameCount: Int(body.number(at: 12)))
        let sampleCount = frames.frameCount.multipliedReportingOverflow(by: frames.channelCount)
        guard !sampleCount.overflow, frames.channelCount <= Limits.channelRange.upperBound,
            sampleCount.partialValue == (size - headerByteCount) / MemoryLayout<Float>.stride
        else { throw .ended }
        bodyByteCount = size
        return frames
    }

    /// Makes the worker discard all history.
    func reset() throws(WorkerProcess.Failure) {
        try process.send(.reset, RawSpan(), by: Deadline(seconds: Self.secondsForOnePacket))
    }

    /// The interleaved samples of the last ``decode(_:)``.
    func withSamples<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        self.body.withUnsafeBytes { bytes in
            let message = bytes[..<bodyByteCount]
            return body(UnsafeRawBufferPointer(rebasing: message.dropFirst(WorkerMessageHeader.framesByteCount)))
        }
    }
}

extension [UInt8] {
    fileprivate func number(at offset: Int) -> UInt32 {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
}
