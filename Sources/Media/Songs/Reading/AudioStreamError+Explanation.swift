import AudioCore

extension AudioStreamError {
    /// A text for people, to append to the file's name: what is wrong, with the byte offset if there is one.
    public var explanation: String {
        switch self {
        case .unsupportedFileType:
            "is not a song that Tutti knows (MP3, AAC, MPEG-4, FLAC, WAVE, AIFF, CAF, AU, Ogg, AC-3 or AMR)"
        case .unsupportedDataFormat(let format): "holds audio that cannot be played: \(format)"
        case .invalidFile(let text): "is damaged: \(text)"
        case .dataUnavailable: "holds no audio"
        case .notOptimized: "has its packet table after the audio: it cannot be played as a stream"
        case .discontinuityCannotRecover, .unsupportedProperty, .badPropertySize, .invalidPacketOffset, .valueUnknown,
            .illegalOperation:
            "is damaged beyond recovery"
        }
    }
}
