/// Goes through the packets of fragments, or of tables in front of them, that an edited song is made of.
struct StreamedCursor<Base: SampleCursor>: EditingCursor {
    var base: Base
    var song: StreamedSong
    /// Nil where only what comes is known.
    let fileByteCount: Int64?

    /// Nil also where the next stretch is somewhere else.
    mutating func next() -> SamplePlace? { song.splicer.isOver || song.splicer.isAway ? nil : base.next() }

    mutating func share(of sample: SamplePlace, _ bytes: RawSpan, at place: Int) -> SampleShare {
        song.share(of: sample, bytes, at: place, fileByteCount: fileByteCount)
    }

    var isExhausted: Bool { song.splicer.isExhausted }
}
