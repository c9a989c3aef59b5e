import AudioCore

/// An anchor and its number within the broadcast. A listener that was sent another number lacks this one.
struct NumberedAnchor: Hashable {
    let anchor: Anchor
    /// Counts from 1.
    let number: Int

    init(_ anchor: Anchor, after former: NumberedAnchor? = nil) {
        self.anchor = anchor
        number = (former?.number ?? 0) + 1
    }
}
