import AudioCore

/// The library's decoder for one stream: takes packets, outputs frames of interleaved `Float` or `Int32`.
///
/// Configured to add nothing: one thread, no trimming of priming, no log. All input may be hostile. Not thread-safe.
public final class LibavcodecDecoder: LibraryDecoder {
    private let symbols: CodecSymbols
    private let outputsIntegers: Bool
    private var context: CodecSymbols.Object?
    private var packet: CodecSymbols.Object?
    private var frame: CodecSymbols.Object?

    /// - Parameter setup: codec, magic cookie and how to decode them.
    /// - Throws: if the library has no such decoder, or rejects the cookie.
    public init(_ setup: LibraryDecoderSetup, library: CodecLibrary) throws(LibraryDecoderError) {
        symbols = library.symbols
        outputsIntegers = setup.outputsIntegers
        guard let codec = setup.decoderNames.lazy.compactMap({ [symbols] in symbols.findDecoder($0) }).first else {
            throw .missing
        }
        context = symbols.makeContext(codec)
        packet = symbols.makePacket()
        frame = symbols.makeFrame()
        guard let context, packet != nil, frame != nil else { throw .noMemory }
        let id = codec.load(fromByteOffset: FieldOffset.codecID, as: Int32.self)
        try Self.setParameters(of: context, codecID: id, extradata: setup.extradata, symbols)
        for (name, value) in Self.options + setup.options { _ = symbols.setOption(context, name, value, 0) }
        let code = symbols.open(context, codec, nil)
        guard code == 0 else { throw .refused(code) }
    }

    deinit {
        var (context, packet, frame) = (context, packet, frame)
        symbols.freeFrame(&frame)
        symbols.freePacket(&packet)
        symbols.freeContext(&context)
    }

    /// Options by name; a version ignores those that it does not know.
    private static let options: [(name: String, value: String)] = [
        ("threads", "1"),
        // The caller, who knows the timeline, trims the priming.
        ("flags2", "+skip_manual"),
        // For a decoder that has both (libopus): not rounded to 16 bits.
        ("request_sample_fmt", "flt"),
    ]

    /// `AVMEDIA_TYPE_AUDIO`.
    private static let audio: Int32 = 1
    /// `AV_INPUT_BUFFER_PADDING_SIZE`: the library reads beyond the end of its input.
    private static let paddingByteCount = 64

    private static func setParameters(
        of context: CodecSymbols.Object, codecID: Int32, extradata: [UInt8], _ symbols: CodecSymbols
    ) throws(LibraryDecoderError) {
        var owned = symbols.makeParameters()
        defer { symbols.freeParameters(&owned) }
        guard let parameters = owned else { throw .noMemory }
        parameters.storeBytes(of: audio, toByteOffset: FieldOffset.parametersType, as: Int32.self)
        parameters.storeBytes(of: codecID, toByteOffset: FieldOffset.parametersID, as: Int32.self)
        if !extradata.isEmpty {
            // Freed with the codec parameters.
            guard let copy = symbols.allocateZeroed(extradata.count + paddingByteCount) else { throw .noMemory }
            extradata.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
            parameters.storeBytes(of: copy, toByteOffset: FieldOffset.parametersExtradata, as: CodecSymbols.Object.self)
            parameters.storeBytes(
                of: Int32(extradata.count), toByteOffset: FieldOffset.parametersExtradataSize, as: Int32.self)
        }
        let code = symbols.setParameters(context, parameters)
        guard code >= 0 else { throw .refused(code) }
    }

    public func decode(_ bytes: UnsafeRawBufferPointer, into frames: inout DecodedFrames) -> Bool {
        guard let context, let packet, let frame, let source = bytes.baseAddress, bytes.count <= Limits.packetByteCount,
            symbols.allocatePacketData(packet, Int32(bytes.count)) == 0
        else { return false }
        defer { symbols.releasePacketData(packet) }
        // The library pads it with zeros.
        packet.load(fromByteOffset: FieldOffset.packetData, as: CodecSymbols.Object.self)
            .copyMemory(from: source, byteCount: bytes.count)
        if outputsIntegers { Self.adapt(packet, byteCount: bytes.count) }
        guard symbols.sendPacket(context, packet) == 0 else { return false }
        while true {
            let code = symbols.receiveFrame(context, frame)
            if code == Self.wantsMore { return true }
            guard code == 0,
                frames.append(
                    frame, sampleRate: sampleRate, channelCount: channelCount, asIntegers: outputsIntegers)
            else { return false }
        }
    }

    /// Works around a bug with stored ALAC frames, which coding would not make shorter. For 32-bit stereo the library
    /// computes their width as if they were coded, minus the bytes coded apart, of which they have none, and refuses
    /// it. It resets that number before it reads the samples. So one such byte is declared (bits 20 and 21; bit 22
    /// marks a stored frame). With more than two channels that helps the first element only.
    private static func adapt(_ packet: CodecSymbols.Object, byteCount: Int) {
        guard byteCount > 2 else { return }
        let data = packet.load(fromByteOffset: FieldOffset.packetData, as: CodecSymbols.Object.self)
        let byte = data.load(fromByteOffset: 2, as: UInt8.self)
        if byte & 0x0E == 0x02 { data.storeBytes(of: byte | 0x04, toByteOffset: 2, as: UInt8.self) }
    }

    /// `AVERROR(EAGAIN)`.
    private static let wantsMore: Int32 = -11

    /// Sample rate of the last decoded frame, in hertz.
    private var sampleRate: Int {
        var value: Int64 = 0
        guard let context, symbols.getIntegerOption(context, "ar", 0, &value) >= 0 else { return 0 }
        return Int(value)
    }

    /// Channels of the last decoded frame.
    private var channelCount: Int {
        guard let context else { return 0 }
        return withUnsafeTemporaryAllocation(byteCount: FieldOffset.layoutByteCount, alignment: 8) { layout in
            layout.initializeMemory(as: UInt8.self, repeating: 0)
            guard let layout = layout.baseAddress, symbols.getLayoutOption(context, "ch_layout", 0, layout) >= 0 else {
                return 0
            }
            defer { symbols.releaseLayout(layout) }
            return Int(layout.load(fromByteOffset: FieldOffset.layoutChannelCount, as: Int32.self))
        }
    }
}

/// Why the library cannot decode a stream.
public enum LibraryDecoderError: Error, Hashable, Sendable {
    /// This build of the library has no decoder for the codec.
    case missing
    /// The library rejects the stream's setup; its error number.
    case refused(Int32)
    case noMemory
}
