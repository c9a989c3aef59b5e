import AudioCore
import Peering

/// How many members can decode what. Of thousands most can decode the same, and each tick asks whether all can.
struct DecoderCounts {
    private var counts: [Set<Codec>: Int] = [:]

    mutating func add(_ codecs: Set<Codec>) { counts[codecs, default: 0] += 1 }

    mutating func remove(_ codecs: Set<Codec>) { counts.countDown(codecs) }

    /// Returns whether some member cannot decode this.
    func areLacking(_ codec: Codec) -> Bool { counts.keys.contains { !$0.contains(codec) } }
}
