/// Goes through the packets of fragments, or of tables in front of them, that an edited song is made of.
struct StreamedCursor<Base: SampleCursor>: SampleCursor {
    static var isEdited: Bool { true }

    var base: Base
    var song: StreamedSong
    /// Nil where only what comes is known.
    let fileByteCount: Int64?

    /// Nil also where the next stretch is somewhere else.
    mutating func next() -> SamplePlace? { song.splicer.isOver || song.splicer.isAway ? nil : base.next() }
    mutating func pass(_ place: SamplePlace) { base.pass(place) }

    mutating func share(of sample: SamplePlace, _ bytes: RawSpan, at place: Int) -> SampleShare {
        song.share(of: sample, bytes, at: place, fileByteCount: fileByteCount)
    }

    var isExhausted: Bool { song.splicer.isExhausted }

    // MARK: As the base's

    var blocks: BlockLayout? { base.blocks }
    var extent: SampleExtent {
        get { base.extent }
        set { base.extent = newValue }
    }
    var sampleByteCount: Int64 { base.sampleByteCount }
    var sampleDuration: Int64 { base.sampleDuration }
    var hasEqualSizes: Bool { base.hasEqualSizes }
    mutating func openExtent() -> Bool { base.openExtent() }
    mutating func didPass(samples: Int64) { base.didPass(samples: samples) }
    mutating func didPass(_ place: SamplePlace, of blocks: BlockLayout) { base.didPass(place, of: blocks) }
    mutating func dropExtent() { base.dropExtent() }
}
