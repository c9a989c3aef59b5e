import AudioCore
import NIOCore
import WireProtocol

/// A form in which listeners are sent the song: its own packets, or linear PCM.
struct SongForm {
    enum Kind {
        case original
        case linearPCM
    }

    var log: PacketLog
    var streamMessage: ByteBuffer
    var prerollPacketCount: Int
    /// Whether no message follows the log's last.
    var isComplete: Bool
}

/// What feeding every listener depends on at one moment; computed once for all of them. Its parts are references:
/// every listener's feed looks at them, and copies nothing.
struct FeedingPlan {
    /// The plan for listeners of one form.
    final class Part {
        let form: SongForm
        /// Number of the message that is heard now, or will be first.
        let playing: Int

        init(_ form: SongForm, playing: Int) { (self.form, self.playing) = (form, playing) }
    }

    /// The plan for one epoch.
    final class Track {
        let epoch: Epoch
        let codec: Codec?
        /// The first frame to be heard.
        let firstFrame: FramePosition
        /// The frame that is due now; negative if the song begins later.
        let position: FramePosition
        /// Whether it is known when it sounds.
        let isAnchored: Bool
        /// Whether that was known, or the sound was cut.
        var isPlaced: Bool { placementNumber > 0 }
        /// Whether nothing of it will be heard.
        let isVoid: Bool
        /// Whether its sound was cut.
        var isCut: Bool { isPlaced && !isAnchored }
        /// Says where it is placed; nil while it is not.
        let placementMessage: ByteBuffer?
        let placementNumber: Int
        /// The first frame that is kept back because it would come late.
        var heldFrame: FramePosition?
        /// The frame after the last audible one, once known.
        let end: FramePosition?
        let framesPerSecond: Double
        /// The song's own packets; nil before its format is known.
        private let original: Part?
        /// The song as linear PCM; nil while nobody needs it.
        private let linearPCM: Part?

        init(_ track: BroadcastTrack, _ now: HostTime) {
            epoch = track.epoch
            codec = track.song.codec
            firstFrame = track.firstFrame
            let position = track.position(now)
            self.position = position
            isAnchored = track.anchor != nil
            isVoid = track.isVoid
            placementMessage = track.placementMessage
            placementNumber = track.placementNumber
            heldFrame = track.follower.heldFrame
            end = track.song.end
            framesPerSecond = track.song.framesPerSecond ?? 48_000
            func part(_ form: SongForm) -> Part {
                Part(form, playing: form.log.index(of: max(position, track.firstFrame)))
            }
            original = track.song.form.map(part)
            linearPCM = track.pcm.form(of: track.song).map(part)
        }

        func part(_ kind: SongForm.Kind) -> Part? {
            switch kind {
            case .original: original
            case .linearPCM: linearPCM
            }
        }

        func frames(in span: TimeSpan) -> Int64 { Int64(saturating: span.seconds * framesPerSecond) }
    }

    /// The epochs on the timeline, the one that is heard first.
    let tracks: [Track]
    /// How far ahead of its play time a packet may be sent.
    let horizon: TimeSpan
    /// How much is sent at once.
    let batch: TimeSpan
    /// Whether there are many listeners: a message to each of them costs as much as if they were few.
    let isCrowded: Bool
    /// How much may be on the way to a listener, however slow it is.
    var shortestWindow: TimeSpan {
        isCrowded ? BroadcastLimits.crowdedShortestWindow : BroadcastLimits.shortestWindow
    }

    init(tracks: [Track], horizon: TimeSpan, isCrowded: Bool = false) {
        self.tracks = tracks
        (self.horizon, self.isCrowded) = (horizon, isCrowded)
        let batch = isCrowded ? BroadcastLimits.crowdedBatchTime : BroadcastLimits.batchTime
        self.batch = min(batch, horizon * BroadcastLimits.batchShare)
    }

    /// Returns the epoch to feed to a listener that was last fed `epoch`: the same while it is on the timeline, else
    /// the next one.
    func track(from epoch: Epoch?) -> Track? {
        guard let epoch else { return tracks.first }
        return tracks.first { $0.epoch == epoch || $0.epoch > epoch && !$0.isVoid }
    }

    /// Returns the epoch that follows.
    func track(after epoch: Epoch) -> Track? { tracks.first { $0.epoch > epoch && !$0.isVoid } }
}
