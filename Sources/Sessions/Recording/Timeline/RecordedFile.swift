import AudioCore
import AudioFileWriting

/// One file of a recording that may still change.
final class RecordedFile {
    let path: String
    let format: PCMFileFormat
    /// The epochs in it.
    var contents = FileContents()
    /// Its frames, also after an error.
    private(set) var frameCount: Int64 = 0
    private var writer: AudioFileWriter

    init(_ writer: consuming AudioFileWriter) {
        path = writer.path
        format = writer.format
        self.writer = writer
    }

    var duration: TimeSpan { TimeSpan(seconds: Double(frameCount) / format.sampleRate) }

    func change(
        _ body: (inout AudioFileWriter) throws(AudioFileWritingError) -> Void
    ) throws(AudioFileWritingError) {
        defer { frameCount = writer.frameCount }
        try body(&writer)
    }

    /// Deletes the file.
    func remove() { writer.remove() }
}
