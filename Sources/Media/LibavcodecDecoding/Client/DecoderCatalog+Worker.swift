import AudioDecoding

extension DecoderCatalog {
    /// Adds AAC, ALAC, FLAC, Vorbis, Opus, AC-3 and AMR where FFmpeg's libavcodec is installed; AMR is
    /// decoded by OpenCORE's libraries, FLAC of more than 24 bits by libFLAC, where those are installed too. Nothing is
    /// loaded and no process started until a decoder is made: each decoder then has a worker process of its own.
    /// - Parameter program: what to start as a worker.
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
