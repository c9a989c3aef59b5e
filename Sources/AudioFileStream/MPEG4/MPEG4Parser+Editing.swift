import AudioCore

// Edited songs in fragments, where they go back in the media. All of the file is at hand then.

extension MPEG4Parser {
    /// Goes where the next stretch can be had from.
    mutating func goToStretch() {
        guard let entry = stream.streamedSong?.goToStretch(in: fragments) else { return }
        begin(at: entry)
    }

    /// Goes on from a fragment that went by, or from the beginning of the table in front of them.
    mutating func begin(at entry: StreamedSong.Entry) {
        fragment.restart(at: entry.fragment?.byteOffset ?? movieEnd)
        walker.restart(at: entry.fragment?.byteOffset ?? movieEnd)
        mood = .walking
        guard entry.fragment == nil, let table else { return }
        tableCursor = SampleTableCursor(table, blocks: self.entry?.blocks)
        mood = .playing
    }

    /// The file has no more packets: this was all, unless an edit list goes back from here.
    mutating func endMedia<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, into sink: inout Sink
    ) -> Step {
        mood = .done
        for part in stream.streamedSong?.endMedia() ?? [] { give(part, bytes, into: &sink) }
        if stream.streamedSong?.splicer.isAway == true { goToStretch() }
        return .took(0)
    }
}
