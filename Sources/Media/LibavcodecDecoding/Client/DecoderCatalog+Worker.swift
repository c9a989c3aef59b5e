import AudioDecoding

extension DecoderCatalog {
    /// Adds AAC, ALAC, FLAC, Vorbis, Opus, AC-3 and AMR where a supported libavcodec of FFmpeg's is installed; AMR is
    /// decoded by OpenCORE's libraries, FLAC of more than 24 bits by libFLAC, where those are installed too. Nothing is
    /// loaded and no process started until a decoder is made: each decoder then has a worker process of its own.
    /// Where there is another version of it, that is why these codecs are refused.
    /// - Parameters:
    ///   - program: what to start as a worker.
    ///   - presence: what of the library is installed.
    public mutating func registerForeign(
        program: WorkerProgram = .itself, presence: CodecLibrary.Presence = CodecLibrary.presence
    ) {
        for codec in ForeignSetup.codecs {
            switch presence {
            case .supported:
                register(codec) { (format, cookie, interrupt) throws(AudioDecodingError) in
                    try WorkerDecoder(format: format, magicCookie: cookie, program: program, interrupt: interrupt)
                }
            case .other(let major):
                guard let objection = CodecLibraryVersion.objection(toCodec: major) else { continue }
                refuse(codec, .unsupportedFormat(objection + AudioDecodingError.remedy(for: codec)))
            case .missing: break
            }
        }
    }
}
