import AudioCore
import Programmes

/// A song to be opened for an epoch.
public struct SourceRequest: Hashable, Sendable {
    public enum Origin: Hashable, Sendable {
        /// A source of its own.
        case location(ItemLocation)
        /// The next song of the source that this epoch's song came from.
        case sameSource(as: Epoch)
        /// This epoch's song, from where it was read to; what comes of it belongs to the new epoch.
        case sameSong(as: Epoch)
    }

    public var epoch: Epoch
    public var origin: Origin
    /// Songs of the source that come before this one, and are passed over.
    public var songsBefore = 0
    /// The first frame to be heard.
    public var firstFrame = FramePosition.zero
}
