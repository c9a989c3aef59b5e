import AudioCore

/// The decoder of ``FLACLibrary`` for one stream: takes FLAC frames, outputs frames of interleaved full-scale `Int32`.
///
/// The library pulls bytes of a stream. It gets STREAMINFO, then one packet at a time, and drops its read-ahead between
/// them. Not thread-safe.
final class LibFLACDecoder: LibraryDecoder {
    private let library: FLACLibrary
    private let decoder: FLACLibrary.Object
    /// Input that the library has not read yet.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var frames = DecodedFrames(headerByteCount: 0)
    private var isDamaged = false
    private var hasFrame = false

    private static let streamInfoByteCount = 34

    /// - Parameter magicCookie: STREAMINFO (RFC 9639 section 8.2).
    init(magicCookie: [UInt8], library: FLACLibrary) throws(LibraryDecoderError) {
        guard magicCookie.count >= Self.streamInfoByteCount else { throw .refused(0) }
        guard let decoder = library.make() else { throw .noMemory }
        self.library = library
        self.decoder = decoder
        let code = library.open(
            decoder, Self.read, nil, nil, nil, nil, Self.write, nil, Self.complain,
            Unmanaged.passUnretained(self).toOpaque())
        guard code == 0 else { throw .refused(code) }
        // The start of a stream, and the header of a last metadata block (sections 6 and 8.1).
        let header =
            Array("fLaC".utf8) + [0x80, 0, 0, UInt8(Self.streamInfoByteCount)]
            + magicCookie.prefix(Self.streamInfoByteCount)
        let isRead = header.withUnsafeBytes { bytes in
            input = bytes
            defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
            return library.readMetadata(decoder) != 0 && !isDamaged && input.isEmpty
        }
        guard isRead else { throw .refused(0) }
    }

    deinit { library.free(decoder) }

    func decode(_ bytes: UnsafeRawBufferPointer, into frames: inout DecodedFrames) -> Bool {
        _ = library.flush(decoder)
        input = bytes
        (isDamaged, hasFrame) = (false, false)
        swap(&frames, &self.frames)
        defer {
            swap(&frames, &self.frames)
            input = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        guard library.readFrame(decoder) != 0, hasFrame, !isDamaged else {
            self.frames.removeAll()
            return false
        }
        return true
    }

    // MARK: Callbacks of the library

    private static func of(_ client: FLACLibrary.Object?) -> LibFLACDecoder? {
        client.map { Unmanaged<LibFLACDecoder>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let read: FLACLibrary.Reading = { _, buffer, count, client in
        guard let decoder = of(client), let buffer, let count else { return ReadAnswer.abort }
        count.pointee = min(max(count.pointee, 0), decoder.input.count)
        guard count.pointee > 0 else { return ReadAnswer.end }
        UnsafeMutableRawPointer(buffer).copyMemory(from: decoder.input.baseAddress!, byteCount: count.pointee)
        decoder.input = UnsafeRawBufferPointer(rebasing: decoder.input[count.pointee...])
        return ReadAnswer.goOn
    }

    private static let write: FLACLibrary.Writing = { _, header, planes, client in
        guard let decoder = of(client), let header, let planes else { return WriteAnswer.abort }
        // Keep only the last frame: before it comes silence for frames that the library believes are missing.
        decoder.frames.removeAll()
        decoder.hasFrame = decoder.frames.append(
            planes, frameCount: Int(header[FLACLibrary.FrameField.blockSize]),
            channelCount: Int(header[FLACLibrary.FrameField.channelCount]),
            sampleRate: Int(header[FLACLibrary.FrameField.sampleRate]),
            bitsPerSample: Int(header[FLACLibrary.FrameField.bitsPerSample]))
        return decoder.hasFrame ? WriteAnswer.goOn : WriteAnswer.abort
    }

    private static let complain: FLACLibrary.Complaining = { _, _, client in of(client)?.isDamaged = true }

    /// `FLAC__StreamDecoderReadStatus`.
    private enum ReadAnswer {
        static let goOn: Int32 = 0
        static let end: Int32 = 1
        static let abort: Int32 = 2
    }

    /// `FLAC__StreamDecoderWriteStatus`.
    private enum WriteAnswer {
        static let goOn: Int32 = 0
        static let abort: Int32 = 1
    }
}
