import AudioCore

/// What a command does.
///
/// Any number is decoded, and the broadcaster refuses what is out of range: a mistaken command ends no connection.
public enum CommandOperation: Hashable, Sendable {
    case programme(ProgrammeOperation)
    case listeners(ListenerOperation, of: ListenerTarget)
    /// An operation of a later version; code 0: one with a value of a later version.
    case unknown(code: UInt16)
}

/// An operation on the programme: on what plays, or on the queue.
public enum ProgrammeOperation: Hashable, Sendable {
    case play
    case pause
    case resume
    /// Pauses what plays; else plays or resumes.
    case toggle
    case stop
    case next
    case previous
    /// To this time of the current item; to a microsecond.
    case seek(to: TimeSpan)
    /// Forwards, or backwards if it is negative; to a microsecond.
    case skip(by: TimeSpan)
    case jump(to: ItemReference)
    /// At the queue's end. At most ``WireLimits/sourcesPerCommand`` sources of ``WireLimits/sourceByteCount`` bytes
    /// together: see ``ItemSource/batches(of:)``.
    case add([ItemSource])
    /// Before the item at this position; at the end if it equals the item count.
    case insert([ItemSource], at: Int)
    case remove(ItemReference)
    /// `to` is the item's position afterwards.
    case move(ItemReference, to: Int)
    case clear
    case setRepeat(RepeatMode)
    case setShuffle(Bool)
}

/// An operation on how listeners sound.
public enum ListenerOperation: Hashable, Sendable {
    case volume(VolumeChange)
    /// How much later the listener plays than the timeline says, to a microsecond; negative: earlier.
    case offset(TimeSpan)
    case role(ChannelRole)
}

/// Whom a listener operation concerns.
public enum ListenerTarget: Hashable, Sendable {
    /// All listeners. Their volume is the group's: the ratios stay.
    case all
    /// Listeners of this name, at most `WireLimits.peerNameByteCount` bytes.
    case named(String)
}

/// A change of volume, in per cent of a perceptual scale.
public enum VolumeChange: Hashable, Sendable {
    /// 0 to 100.
    case level(Int)
    case step(Int)
    case mute
    case unmute
    case toggleMute
}

/// What follows an item's end.
public enum RepeatMode: UInt8, CaseIterable, Hashable, Sendable {
    case off = 0
    /// The same item again.
    case one = 1
    /// After the last item the first.
    case all = 2
}

/// The number of an item. A broadcaster gives each item another one.
public struct ItemID: Hashable, Sendable, BitwiseCopyable {
    public var number: UInt32

    public init(_ number: UInt32) { self.number = number }
}

extension ItemID: CustomStringConvertible {
    public var description: String { "item \(number)" }
}

/// An item, named by its id or by where it stands.
public enum ItemReference: Hashable, Sendable {
    case id(ItemID)
    /// Position in the queue, from 0. If somebody else edits the queue meanwhile, another item may stand there.
    case position(Int)
}
