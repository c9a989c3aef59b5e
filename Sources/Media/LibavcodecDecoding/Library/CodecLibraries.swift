import AudioCore

/// A library's decoder for one stream.
public protocol LibraryDecoder: AnyObject {
    /// Decodes one packet and appends its frames to `frames`.
    /// - Returns: false if all or part of the packet is damaged. What could be decoded is appended nevertheless.
    func decode(_ bytes: UnsafeRawBufferPointer, into frames: inout DecodedFrames) -> Bool
}

/// The decoder libraries on this machine: libavcodec, and those that are better for some codecs.
///
/// Create it only in a process that has nothing to lose. Not thread-safe.
public struct CodecLibraries {
    private let codecs: CodecLibrary
    private let speech = SpeechLibrary()
    private let flac = FLACLibrary()

    /// libavcodec's major version.
    public var majorVersion: Int { codecs.majorVersion }

    /// Loads all of them, so that no file has to be opened later.
    /// - Throws: if there is no libavcodec.
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
