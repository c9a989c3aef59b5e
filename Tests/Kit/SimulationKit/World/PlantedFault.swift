/// A mistake in a program, planted to see that it is noticed: the canaries of the simulation's checks.
public enum PlantedFault: Sendable {
    /// A listener takes the sound card's delay with the wrong sign.
    case delaySign
    /// A listener loses one frame between renderer and sound card, in the midst of what it plays.
    case lostFrame
    /// A broadcaster swaps the stamps of a clock exchange: when a request arrived, and when its reply left.
    case swappedStamps
    /// A listener that was in a broadcast neither dials nor answers any more.
    case noReconnection
    /// A listener that comes back sounds a millisecond late.
    case lateReturn
    /// A node takes everybody for a member of its machine's household.
    case everybodyIsMember
    /// A node throws away what members send it of the household.
    case ignoredDocuments
}
