import AudioDecoding

extension DecodeSession {
    /// Starts a worker and opens a stream's decoder in it.
    static func start(
        _ setup: LibraryDecoderSetup, _ program: WorkerProgram, _ interrupt: DecodingInterrupt = DecodingInterrupt()
    ) throws(AudioDecodingError) -> DecodeSession {
        try start(setup, interrupt) { () throws(Failure) in try DecodeSession(program: program, interrupt: interrupt) }
    }

    /// Opens a stream's decoder in whatever answers like a worker.
    /// - Parameter socket: a stream socket to it, which the session closes.
    package static func start(_ setup: LibraryDecoderSetup, socket: Int32) throws(AudioDecodingError) -> DecodeSession {
        try start(setup, DecodingInterrupt()) { DecodeSession(socket: socket) }
    }

    private static func start(
        _ setup: LibraryDecoderSetup, _ interrupt: DecodingInterrupt, _ connect: () throws(Failure) -> DecodeSession
    ) throws(AudioDecodingError) -> DecodeSession {
        do throws(Failure) {
            let session = try connect()
            try session.open(setup)
            return session
        } catch {
            guard !interrupt.isInterrupted else { throw .interrupted }
            switch error {
            case .missingDecoder where setup.codec == .flac && setup.outputsIntegers:
                throw .unsupportedFormat("it has more than 24 bits; install libFLAC (libflac12 on Debian 12)")
            case .noLibrary, .missingDecoder: throw .unsupportedCodec(setup.codec)
            case .unsupportedLibrary(let objection):
                throw .unsupportedFormat(objection + AudioDecodingError.remedy(for: setup.codec))
            case .refused(let code):
                throw .unsupportedFormat("libavcodec refuses the \(setup.codec.commonName) set-up (\(code))")
            case .process(.cannotStart(let operation, let code)):
                throw .libraryFailed(operation: operation, code: code, text: "no process for the decoder")
            case .process(.ended):
                throw .libraryFailed(operation: "starting the decoder", code: 0, text: "its process ended")
            case .process(.late):
                throw .libraryFailed(operation: "starting the decoder", code: 0, text: "its process does not answer")
            }
        }
    }
}
