/// Goes through the packets of another cursor, of which an edited song is made.
protocol EditingCursor: SampleCursor {
    associatedtype Base: SampleCursor

    var base: Base { get set }
}

extension EditingCursor {
    static var isEdited: Bool { true }

    // As the base's.

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
    mutating func pass(_ place: SamplePlace) { base.pass(place) }
}
