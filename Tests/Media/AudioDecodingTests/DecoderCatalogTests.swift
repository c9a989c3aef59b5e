import AudioCore
import AudioDecoding
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DecoderCatalogTests {
    @Test func builtInDecodesWhatNeedsNoLibrary() {
        #expect(DecoderCatalog.builtIn.codecs == [.linearPCM, .muLaw, .aLaw, .ima4, .waveIMA])
    }

    @Test func unknownCodecIsNamed() {
        let format = AudioStreamFormat(codec: .mpegLayer3, sampleRate: 44_100, channelsPerFrame: 2)
        #expect(throws: AudioDecodingError.unsupportedCodec(.mpegLayer3)) {
            try DecoderCatalog.builtIn.makeDecoder(for: format)
        }
    }

    @Test func ratesAndChannelsBeyondTheLimitsAreRefused() {
        for (rate, channels) in [(0, 2), (Double.nan, 2), (1e9, 2), (44_100, 0), (44_100, 9), (44_100, Int.max)] {
            let format = AudioStreamFormat(
                codec: .linearPCM, sampleRate: rate, pcm: .signedInteger, bytesPerFrame: 4, channelsPerFrame: channels,
                bitsPerChannel: 16)
            #expect(throws: AudioDecodingError.self) { try DecoderCatalog.builtIn.makeDecoder(for: format) }
        }
    }
}
