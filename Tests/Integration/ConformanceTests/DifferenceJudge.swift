import Testing

/// Judges the songs of one container: how they differ must be known, and what is known of them must be so.
struct DifferenceJudge {
    /// What they are compared in.
    let aspects: Set<Aspect>
    /// Places in ``KnownDifference/all`` that cover a song, and those of which one differs so.
    private var covering: Set<Int> = []
    private var needed: Set<Int> = []

    init(aspects: Set<Aspect>) { self.aspects = aspects }

    mutating func judge(_ song: Song, _ differences: [Difference]) {
        var unknown = differences
        for (index, known) in KnownDifference.all.enumerated()
        where aspects.contains(known.aspect) && known.covers(song) {
            covering.insert(index)
            if differences.contains(where: { $0.aspect == known.aspect }) { needed.insert(index) }
            unknown.removeAll { $0.aspect == known.aspect }
        }
        for difference in unknown { Issue.record("\(song): \(difference)") }
    }

    /// An entry that covers songs of this container, none of which differs, is stale or says too much.
    func expectEveryExcuseIsNeeded(in container: String) {
        for index in covering.subtracting(needed).sorted() {
            let known = KnownDifference.all[index]
            Issue.record("\(container): no song differs in \(known.aspect), as it should because \(known.reason)")
        }
    }
}
