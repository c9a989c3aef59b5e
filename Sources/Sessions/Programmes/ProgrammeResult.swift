import AudioCore
import WireProtocol

/// What an operation means for the sound.
public enum ProgrammeEffect: Hashable, Sendable {
    case none
    /// Fade out, and keep what follows for a resume.
    case pause
    /// Go on with the frame after the pause.
    case resume
    /// Go on with what the live source gives now: what came meanwhile was dropped.
    case rejoin
    /// To this time of the current item. It sounds if the programme plays, and stays silent if it is paused.
    case seek(to: TimeSpan)
    /// This item, from its start; it is the current one now.
    case play(ItemID)
    /// Fade out. Nothing of the item is needed any more.
    case stop
}

/// What an operation did.
public struct ProgrammeResult: Hashable, Sendable {
    public var effect: ProgrammeEffect
    /// How the queue changed, for those that show it.
    public var edit: QueueEdit?
    /// Whether a seek went past the item's end, and so acted as `next`.
    public var isPastTheEnd = false

    public init(_ effect: ProgrammeEffect, edit: QueueEdit? = nil, isPastTheEnd: Bool = false) {
        self.effect = effect
        self.edit = edit
        self.isPastTheEnd = isPastTheEnd
    }
}
