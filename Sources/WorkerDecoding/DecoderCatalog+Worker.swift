import AudioDecoding
import CodecLibrary

extension DecoderCatalog {
    /// Adds AAC, ALAC, FLAC, Vorbis, Opus, AC-3 and AMR where FFmpeg's libavcodec is installed; AMR is
    /// decoded by OpenCORE's libraries where those are installed too. Nothing is loaded and
    /// no process started until a decoder is made: each decoder then has a worker process of its own.
    ///
    /// FLAC of more than 24 bits is decoded in this process: libavcodec 59 makes silence of it.
    /// - Parameter program: what to start as a worker.
    public mutating func registerForeign(
        program: WorkerProgram = .itself, isInstalled: Bool = CodecLibrary.isInstalled
    ) {
        guard isInstalled else { return }
        for codec in ForeignSetup.codecs {
            register(codec) { (format, cookie) throws(AudioDecodingError) in
                if codec == .flac, FLACDecoder.bitsPerSample(cookie) ?? 0 > 24 {
                    return try FLACDecoder(format: format, magicCookie: cookie)
                }
                return try WorkerDecoder(format: format, magicCookie: cookie, program: program)
            }
        }
    }
}
