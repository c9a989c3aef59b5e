import AudioCore

/// The decoders that this program has, by codec.
///
/// A value: whoever composes the program starts from ``builtIn``, adds what else is linked
/// (`catalog.registerMPEG()` of MPEGDecoding), and hands it down. So this target knows no decoder library.
public struct DecoderCatalog: Sendable {
    /// Makes a decoder for a format of a codec that it was registered for, or says why not. The bytes are the stream's
    /// magic cookie, empty if it has none.
    public typealias Maker =
        @Sendable (AudioStreamFormat, [UInt8]) throws(AudioDecodingError) -> any AudioPacketDecoder

    /// As ``Maker``, of a decoder that waits for somebody else, here or when it decodes, until it is interrupted.
    public typealias InterruptibleMaker =
        @Sendable (AudioStreamFormat, [UInt8], DecodingInterrupt) throws(AudioDecodingError) -> any AudioPacketDecoder

    private enum Entry {
        case quick(Maker)
        case interruptible(InterruptibleMaker)
    }

    private var entries: [Codec: Entry] = [:]
    private var refusals: [Codec: AudioDecodingError] = [:]

    /// A catalog without any decoder.
    public init() {}

    /// What needs no library: linear PCM, G.711 and IMA ADPCM.
    public static var builtIn: DecoderCatalog {
        var catalog = DecoderCatalog()
        catalog.register(.linearPCM) { (format, _) throws(AudioDecodingError) in try PCMDecoder(format: format) }
        for codec in [Codec.muLaw, .aLaw] {
            catalog.register(codec) { (format, _) throws(AudioDecodingError) in try G711Decoder(format: format) }
        }
        catalog.register(.ima4) { (format, _) throws(AudioDecodingError) in try IMA4Decoder(format: format) }
        catalog.register(.waveIMA) { (format, _) throws(AudioDecodingError) in try WaveIMADecoder(format: format) }
        return catalog
    }

    /// Adds a decoder, or replaces the one that was registered for this codec.
    public mutating func register(_ codec: Codec, maker: @escaping Maker) {
        entries[codec] = .quick(maker)
    }

    /// Adds a decoder that can be interrupted, or replaces the one that was registered for this codec.
    public mutating func register(_ codec: Codec, interruptibleMaker: @escaping InterruptibleMaker) {
        entries[codec] = .interruptible(interruptibleMaker)
    }

    /// Says why there is no decoder for a codec, where more is known than that; for as long as none is registered.
    public mutating func refuse(_ codec: Codec, _ error: AudioDecodingError) { refusals[codec] = error }

    /// Why nothing of a codec can be decoded; nil where a decoder is registered.
    public func obstacle(to codec: Codec) -> AudioDecodingError? {
        entries[codec] == nil ? refusals[codec] ?? .unsupportedCodec(codec) : nil
    }

    /// What can be decoded: what a listener says of itself when it greets.
    public var codecs: Set<Codec> { Set(entries.keys) }

    /// Makes a decoder for a stream. It takes splices too (``AudioCore/AudioPacketSplice``), where packets of the codec
    /// may be some. Where the codec's decoder is a process of its own this waits for it, for seconds if that is stuck.
    /// - Parameter interrupt: ends such waiting, and that of the decoder later.
    /// - Throws: `unsupportedCodec`, `unsupportedFormat` (also for rates and channel counts beyond
    ///   ``AudioCore/Limits``), `libraryFailed` or `interrupted`.
    public func makeDecoder(
        for format: AudioStreamFormat, magicCookie: [UInt8] = [], interrupt: DecodingInterrupt = DecodingInterrupt()
    ) throws(AudioDecodingError) -> any AudioPacketDecoder {
        guard let entry = entries[format.codec] else { throw refusals[format.codec] ?? .unsupportedCodec(format.codec) }
        guard Limits.sampleRateRange.contains(format.sampleRate) else {
            throw .unsupportedFormat("sample rate \(format.sampleRate) Hz")
        }
        guard Limits.channelRange.contains(format.channelsPerFrame) else {
            throw .unsupportedFormat("\(format.channelsPerFrame) channels")
        }
        guard magicCookie.count <= Limits.magicCookieByteCount else {
            throw .unsupportedFormat("magic cookie of \(magicCookie.count) bytes")
        }
        let decoder =
            switch entry {
            case .quick(let maker): try maker(format, magicCookie)
            case .interruptible(let maker): try maker(format, magicCookie, interrupt)
            }
        return SplicingDecoder.isNeeded(for: format.codec) ? SplicingDecoder(decoder) : decoder
    }
}
