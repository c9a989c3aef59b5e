/// How much a ``HouseholdScenario`` had to judge. One in which nobody listens finds nothing wrong.
struct HouseholdTally: CustomStringConvertible {
    /// Windows of song of which a broadcast fed somebody undisturbed.
    var windows = 0
    /// Times that a machine came into a broadcast while it, or the broadcaster, was flooded.
    var floodedJoins = 0
    /// Times that a listener had a choice of broadcasts.
    var choices = 0
    /// Members that were told of a removal; of these, by one that they knew to be removed itself.
    var removalNews = 0
    var lastWords = 0

    /// A minute of song for somebody, and a join in spite of a flood. Not all seeds leave a choice.
    var isEnough: Bool { windows > 3_000 && floodedJoins > 0 }

    var description: String {
        "\(windows) windows, \(floodedJoins) joins under floods, \(choices) choices, \(removalNews) told of removals, "
            + "\(lastWords) by removed ones"
    }
}
