import AudioCore

/// The decoders that this program has, by codec.
///
/// A value: the program's composition root starts from ``builtIn``, adds other linked decoders
/// (`catalog.registerMPEG()` of MPEGDecoding), and hands it down. So this target depends on no decoder library.
public struct DecoderCatalog: Sendable {
    /// Makes a decoder for a format of its registered codec, or throws why not. The bytes are the stream's magic
    /// cookie, empty if it has none.
    public typealias Maker =
        @Sendable (AudioStreamFormat, [UInt8]) throws(AudioDecodingError) -> any AudioPacketDecoder

    /// Like ``Maker``, for a decoder whose waits, when it is made or decodes, can be interrupted.
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

    /// The decoders that need no library: linear PCM, G.711 and IMA ADPCM.
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

    /// Registers a decoder, replacing any previous one for the codec.
    public mutating func register(_ codec: Codec, maker: @escaping Maker) {
        entries[codec] = .quick(maker)
    }

    /// Registers an interruptible decoder, replacing any previous one for the codec.
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

    /// Makes a decoder for a stream. It accepts splices, too (``AudioCore/AudioPacketSplice``), for codecs whose
    /// packets may be splices. If the decoder is a separate process, this waits for it; for seconds if that is stuck.
    /// - Parameter interrupt: ends this wait, and later waits of the decoder.
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
