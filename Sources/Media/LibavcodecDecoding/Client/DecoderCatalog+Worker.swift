import AudioDecoding

extension DecoderCatalog {
    /// Adds AAC, ALAC, FLAC, Vorbis, Opus, AC-3 and AMR if a supported version of FFmpeg's libavcodec is installed. If
    /// they are installed, too, OpenCORE's libraries decode AMR, and libFLAC decodes FLAC of more than 24 bits. Nothing
    /// is loaded and no process started until a decoder is made; each decoder then has its own worker process. If only
    /// another version is installed, the refusal of these codecs names it.
    /// - Parameters:
    ///   - program: the program to start as a worker.
    ///   - availability: whether and in which version the library is installed.
    public mutating func registerLibraryDecoders(
        program: WorkerProgram = .itself, availability: CodecLibrary.Availability = CodecLibrary.availability
    ) {
        for codec in LibraryDecoderSetup.codecs {
            switch availability {
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
