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
    private let amr = AMRLibrary()
    private let flac = FLACLibrary()

    /// Loads them all, so that nothing has to be opened later.
    /// - Throws: where there is no libavcodec that is supported.
    public init() throws(CodecLibraryError) { codecs = try CodecLibrary() }

    public func makeDecoder(_ setup: LibraryDecoderSetup) throws(LibraryDecoderError) -> any LibraryDecoder {
        if let decoder = AMRDecoder(setup.codec, library: amr) { return decoder }
        if setup.codec == .flac, setup.outputsIntegers {
            guard let flac else { throw .missing }
            return try LibFLACDecoder(magicCookie: setup.magicCookie, library: flac)
        }
        return try LibavcodecDecoder(setup, library: codecs)
    }
}
