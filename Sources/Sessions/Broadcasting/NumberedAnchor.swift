import AudioCore

/// An anchor and its number among those of its broadcast: a listener that was told of another number lacks this one.
struct NumberedAnchor: Hashable {
    let anchor: Anchor
    /// From 1 on.
    let number: Int

    init(_ anchor: Anchor, after former: NumberedAnchor? = nil) {
        self.anchor = anchor
        number = (former?.number ?? 0) + 1
    }
}
