import Songs

// Several songs in one source.

extension SongPlayer {
    /// Songs of the source before this one.
    var songsBefore: Int { stream.songsBefore }

    /// Whether the source can be read again, and quickly.
    private var isLocalFile: Bool {
        guard stream.isSeekable, case .file? = try? SongAddress(name) else { return false }
        return true
    }

    /// Returns whether another song follows in the source. Reads a local file until that is known.
    mutating func hasNext() -> Bool {
        stage.removeAll()
        while !stream.isFinished, !inbox.isStopped, isLocalFile, stream.summary.fileType == .ogg {
            // An error in a song that nobody hears ends that song, and the source.
            _ = try? stream.advance(into: &stage)
            stage.removeAll()
        }
        return stream.hasNext
    }

    /// Moves to the next song of the source, for another ``run(_:)``.
    /// - Returns: whether there is one.
    mutating func beginNext() -> Bool {
        guard hasNext() else { return false }
        stream.beginNext()
        (isBegun, isDrained, isPaused, isStarving, hasEnded) = (false, false, false, false, false)
        reportedProblemCount = 0
        failure = nil
        return true
    }

    /// Reads past a song that cannot be played, at the source's pace, and moves to the next one.
    /// - Returns: whether there is one; false if the player was stopped, or told to leave the source.
    mutating func passOver() -> Bool {
        stage.removeAll()
        while !stream.isFinished, !inbox.isStopped {
            while let command = inbox.takeCommand() {
                if command == .nextSong { return false }
            }
            _ = try? stream.advance(into: &stage)
            stage.removeAll()
            emitStreamEvents()
            if stream.isWaiting { stream.wait(atMost: .seconds(60), wake: inbox.wake) }
        }
        return beginNext()
    }

    /// Moves to a later song of a local file, as far as there are so many; before ``run(_:)``.
    mutating func skip(songCount: Int) throws(RuntimeFailure) {
        while songsBefore < songCount {
            // The first packets show which container it is.
            guard try readPackets(), beginNext() else { return }
        }
    }
}
