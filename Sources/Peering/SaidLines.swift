/// Lines for people that would come again with every try, and are said the first time only.
///
/// Remembers ``PeeringLimits/saidCount`` lines; what is new after that is not said at all, as its number may be in the
/// hands of a peer.
public struct SaidLines {
    private var lines: Set<String> = []

    public init() {}

    /// Whether a line is to be said; it is then taken as said.
    public mutating func isNew(_ line: String) -> Bool {
        lines.count < PeeringLimits.saidCount && lines.insert(line).inserted
    }
}
