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

/// What feeding every listener depends on at one moment; computed once for all of them.
struct FeedingPlan {
    /// The plan for listeners of one form.
    struct Part {
        var form: SongForm
        /// Number of the message that is heard now, or will be first.
        var playing: Int
    }

    /// The frame that is due now.
    var position: FramePosition
    /// Nil before the start was decided.
    var anchor: NumberedAnchor?
    /// The first frame that is kept back because it would come late.
    var heldFrame: FramePosition?
    /// The frame after the last audible one, once known.
    var end: FramePosition?
    /// How far ahead of its play time a packet may be sent.
    var horizon: TimeSpan
    private let framesPerSecond: Double
    /// The song's own packets; nil before its format is known.
    private let original: Part?
    /// The song as linear PCM; nil while nobody needs it.
    private let linearPCM: Part?

    init(
        _ song: BroadcastSong, pcm: SongForm?, position: FramePosition, anchor: NumberedAnchor?,
        heldFrame: FramePosition?, horizon: TimeSpan
    ) {
        self.position = position
        self.anchor = anchor
        self.heldFrame = heldFrame
        self.horizon = horizon
        end = song.end
        framesPerSecond = song.framesPerSecond ?? 48_000
        func part(_ form: SongForm) -> Part { Part(form: form, playing: form.log.index(of: max(position, .zero))) }
        original = song.form.map(part)
        linearPCM = pcm.map(part)
    }

    func part(_ kind: SongForm.Kind) -> Part? {
        switch kind {
        case .original: original
        case .linearPCM: linearPCM
        }
    }

    func frames(in span: TimeSpan) -> Int64 { Int64(saturating: span.seconds * framesPerSecond) }
}
