/// What a file may ask of the parser; see also `AudioCore.Limits`.
public enum AudioFileStreamLimits {
    /// Bytes that are searched for the first MPEG frame, tags not counted, before a file is given up as not audio.
    public static let junkByteCount = 128 * 1024
}
