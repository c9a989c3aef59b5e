import AudioCore

/// One stream's decoder of some library.
public protocol LibraryDecoder: AnyObject {
    /// Decodes one packet; its frames are appended to `frames`.
    /// - Returns: false if the packet, or a part of it, is damaged. What could be decoded is there nevertheless.
    func decode(_ bytes: UnsafeRawBufferPointer, into frames: inout DecodedFrames) -> Bool
}

/// What there is on this machine to decode with: libavcodec, and the libraries that are better at something.
///
/// To be made in a process that has nothing to lose. Not thread-safe.
public struct CodecLibraries {
    private let codecs: CodecLibrary
    private let speech = SpeechLibrary()
    private let flac = FLACLibrary()

    /// Loads them all, so that nothing has to be opened later.
    /// - Throws: where there is no libavcodec that is supported.
    public init() throws(CodecLibraryError) { codecs = try CodecLibrary() }

    public func makeDecoder(_ setup: ForeignSetup) throws(ForeignDecoderError) -> any LibraryDecoder {
        if let decoder = SpeechDecoder(setup.codec, library: speech) { return decoder }
        if setup.codec == .flac, setup.givesIntegers {
            guard let flac else { throw .missing }
            return try WideFLACDecoder(magicCookie: setup.magicCookie, library: flac)
        }
        return try ForeignDecoder(setup, library: codecs)
    }
}
