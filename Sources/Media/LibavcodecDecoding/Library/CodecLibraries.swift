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

    /// libavcodec's major version.
    public var majorVersion: Int { codecs.majorVersion }

    /// Loads them all, so that nothing has to be opened later.
    /// - Throws: where there is no libavcodec.
    public init() throws(CodecLibraryError) { codecs = try CodecLibrary() }

    public func makeDecoder(_ setup: ForeignSetup) throws(ForeignDecoderError) -> any LibraryDecoder {
        if let decoder = SpeechDecoder(setup.codec, library: speech) { return decoder }
        if setup.codec == .flac, setup.givesIntegers {
            if let flac { return try WideFLACDecoder(magicCookie: setup.magicCookie, library: flac) }
            guard codecs.majorVersion >= CodecLibraryVersion.firstWithWideFLAC else { throw .missing }
        }
        return try ForeignDecoder(setup, library: codecs)
    }
}
