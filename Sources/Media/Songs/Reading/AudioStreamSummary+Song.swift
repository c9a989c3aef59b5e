import AudioCore

extension AudioStreamSummary {
    /// Bytes of a song that are read for what comes before its first packet: twice the largest picture, which may be
    /// written in base64.
    static let songByteLimit = 2 * Limits.artworkByteCount

    /// Reads what a song says of itself before its first packet, and at its end where tags may lie there. Blocks.
    ///
    /// What is no song says nothing; playing it shows why.
    /// - Returns: nil if the file cannot be read now.
    public init?(ofSong path: String) {
        self.init()
        let file: SongFile
        do throws(SongFailure) {
            file = try SongFile(path: path)
        } catch {
            // An empty one is no song.
            if error.kind == .unusable { return }
            return nil
        }
        var stream = SongStream(file)
        var sink = NoSink()
        var byteCount = 0
        while !stream.isFinished, stream.packetCount == 0, byteCount < Self.songByteLimit {
            do throws(SongFailure) {
                byteCount += try stream.advance(into: &sink)
            } catch {
                guard Self.canBeRead(path) else { return nil }
                break
            }
        }
        self = stream.summary
    }

    private static func canBeRead(_ path: String) -> Bool {
        guard let file = try? SongFile(path: path) else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
            (try? file.read(into: byte, at: 0)) == 1
        }
    }
}

/// Ignores everything: only the stream's summary is used.
private struct NoSink: AudioStreamSink {
    mutating func streamDidParse(property: AudioStreamProperty) {}
    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
}
