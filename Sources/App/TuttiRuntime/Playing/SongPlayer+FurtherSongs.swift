import SongReading

// Several songs in one source.

extension SongPlayer {
    /// Songs of the source before this one.
    var songsBefore: Int { stream.songsBefore }

    /// Whether the source can be read once more, and quickly.
    private var isLocalFile: Bool {
        guard stream.isSeekable, case .file? = try? SongAddress(name) else { return false }
        return true
    }

    /// Whether another song follows in the source. A file on the disk is read up to where that is found.
    mutating func hasNext() -> Bool {
        stage.removeAll()
        while !stream.isFinished, !inbox.isStopped, isLocalFile, stream.summary.fileType == .ogg {
            // What is wrong with a song that nobody wants to hear ends it, and the source.
            _ = try? stream.advance(into: &stage)
            stage.removeAll()
        }
        return stream.hasNext
    }

    /// Goes over to the song that follows in the source, for another ``run(_:)``.
    /// - Returns: whether there is one.
    mutating func beginNext() -> Bool {
        guard hasNext() else { return false }
        stream.beginNext()
        (isBegun, isDrained, isPaused, isStarving, hasEnded) = (false, false, false, false, false)
        toldProblemCount = 0
        failure = nil
        return true
    }

    /// Reads away a song that cannot be played, as it comes, and goes over to the one that follows in the source.
    /// - Returns: whether there is one. There is none where the player was stopped, or told to leave the source.
    mutating func passOver() -> Bool {
        stage.removeAll()
        while !stream.isFinished, !inbox.isStopped {
            while let command = inbox.takeCommand() {
                if command == .nextSong { return false }
            }
            _ = try? stream.advance(into: &stage)
            stage.removeAll()
            tellNews()
            if stream.isWaiting { stream.wait(atMost: .seconds(60), wake: inbox.wake) }
        }
        return beginNext()
    }

    /// Goes to a song of a file on the disk, as far as there are so many; before ``run(_:)``.
    mutating func skip(songCount: Int) throws(RuntimeFailure) {
        while songsBefore < songCount {
            // Which container it is shows with the first packets.
            guard try readPackets(), beginNext() else { return }
        }
    }
}
