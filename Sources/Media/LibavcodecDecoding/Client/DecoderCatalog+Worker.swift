import AudioDecoding

extension DecoderCatalog {
    /// Adds AAC, ALAC, FLAC, Vorbis, Opus, AC-3 and AMR if FFmpeg's libavcodec is installed. If they are installed,
    /// too, OpenCORE's libraries decode AMR, and libFLAC decodes FLAC of more than 24 bits. Nothing is loaded and no
    /// process started until a decoder is made; each decoder then has its own worker process.
    /// - Parameter program: the program to start as a worker.
    public mutating func registerForeign(
        program: WorkerProgram = .itself, isInstalled: Bool = CodecLibrary.isInstalled
    ) {
        guard isInstalled else { return }
        for codec in ForeignSetup.codecs {
            register(codec) { (format, cookie, interrupt) throws(AudioDecodingError) in
                try WorkerDecoder(format: format, magicCookie: cookie, program: program, interrupt: interrupt)
            }
        }
    }
}
