import AudioCore

/// The parser of one container, behind ``AudioFileStream``: takes bytes from the front of a window.
///
/// To give the same events however the file is cut, it decides only on bytes that it has seen whole: what it does may
/// depend on the window's end only if `isLast`.
protocol ContainerParser: AnyObject {
    /// Takes what it can; called with a window that holds at least what the last call needed.
    /// - Parameters:
    ///   - bytes: the window. The bytes not consumed come again at the front of the next one.
    ///   - offset: where in the file the window begins.
    ///   - isLast: the window ends where the file ends. This is the last call then, and takes everything.
    func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress

    /// After the last call of `consume`: final properties, or why nothing could be played.
    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError)

    /// Bytes are missing: the window was emptied, the next one begins elsewhere in the file.
    func skipGap() throws(AudioStreamError)
}
