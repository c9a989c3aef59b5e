import AudioCore
import AudioFileStream
import Broadcasting
import NIOCore

/// A file and its parser: the next packets of a song, whenever they are asked for.
struct SongParser: ~Copyable {
    private let file: SongFile
    private var stream = AudioFileStream()
    private var sink = PacketSink()
    private var isFinished = false
    private var failure: String?

    init(file: consuming SongFile) { self.file = file }

    /// Reads until there are packets, and at least `byteCount` bytes were read, or the song ends.
    mutating func next(byteCount: Int) -> SourceEvent {
        var readCount = 0
        while !isFinished, readCount < byteCount || sink.descriptions.isEmpty {
            readCount += advance(byteCount)
        }
        if let event = sink.take() { return event }
        return failure.map { .failed($0) } ?? .ended
    }

    /// Reads and parses one piece. Returns how many bytes there were.
    private mutating func advance(_ byteCount: Int) -> Int {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
        defer { piece.deallocate() }
        do throws(SongFileError) {
            let count = try file.read(into: piece)
            parse(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            return count
        } catch {
            end("reading '\(file.path)' failed: \(error.text)")
            return 0
        }
    }

    private mutating func parse(_ bytes: UnsafeRawBufferPointer) {
        do throws(AudioStreamError) {
            if bytes.isEmpty {
                isFinished = true
                try stream.finish(into: &sink)
            } else {
                try stream.parse(bytes.bytes, discontinuity: false, into: &sink)
            }
        } catch {
            end("'\(file.path)' \(error.explanation)")
        }
    }

    private mutating func end(_ text: String) {
        isFinished = true
        failure = text
    }
}

/// Gathers what the parser says into one event.
private struct PacketSink: AudioStreamSink {
    var properties: [AudioStreamProperty] = []
    var descriptions: [AudioPacketDescription] = []
    var data = ByteBuffer()

    mutating func streamDidParse(property: AudioStreamProperty) { properties.append(property) }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        for index in packets.indices {
            let packet = packets[index]
            descriptions.append(
                AudioPacketDescription(
                    startOffset: self.data.writerIndex, byteCount: packet.byteCount, frameCount: packet.frameCount))
            self.data.writeBytes(data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount))
        }
    }

    /// What was gathered since the last call; nil for nothing.
    mutating func take() -> SourceEvent? {
        guard !properties.isEmpty || !descriptions.isEmpty else { return nil }
        defer { self = PacketSink() }
        return .read(properties: properties, packets: descriptions, data: data)
    }
}

extension AudioStreamError {
    /// For people, to follow the file's name.
    var explanation: String {
        switch self {
        case .unsupportedFileType: "is not a song that Tutti knows (MP3, MP2, MP1 or WAVE)"
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
