import AudioCore
import NIOCore
import WireProtocol

/// What a stream holds of a broadcast: the epochs, oldest first, each with its packets until they are streamed.
///
/// What was streamed cannot be taken back: a cut keeps the rest of its epoch, which goes on from there if that goes on,
/// and is dropped once a newer one is to be heard.
struct HeldBroadcast {
    /// Epochs at a time: what stands behind the present one is the next song, or what replaces it.
    static let epochLimit = 8
    /// Bytes of packets: 10 s of eight channels of 24 bits at 96 kHz.
    static let byteLimit = 24 * 1024 * 1024

    private var epochs: [HeldEpoch] = []
    /// The one before these. All of it was streamed; its end may sound still, and be cut.
    private var former: HeldEpoch?
    /// The one whose properties come.
    private var described: Epoch?
    private var following: (epoch: Epoch, position: FramePosition)?
    private(set) var isWelcome = false
    private(set) var farewell: BroadcastEnd?
    private(set) var refusal: Refusal?

    /// The epoch whose packets come.
    var newest: HeldEpoch? { epochs.last ?? former }

    /// Whether more is held than a broadcaster sends ahead.
    var isTooLarge: Bool { epochs.reduce(0) { $0 + $1.byteCount } > Self.byteLimit }

    /// When the next piece is due; nil if none is.
    var nextDue: SessionTime? { playable.flatMap { epochs[$0].nextDue } }

    /// Takes the next piece out, if it is due by then, with its epoch.
    mutating func pop(dueBy limit: SessionTime) -> (piece: HeldEpoch.Piece, epoch: HeldEpoch)? {
        guard let index = playable, let due = epochs[index].nextDue, due <= limit else { return nil }
        // Those before it are over.
        if index > 0 {
            former = epochs[index - 1]
            former?.empty()
            epochs.removeFirst(index)
        }
        guard let piece = epochs[0].pop() else { return nil }
        return (piece, epochs[0])
    }

    /// The epoch of the next piece: the first one of which one is due some time.
    private var playable: Int? { epochs.firstIndex { $0.nextDue != nil } }

    private mutating func change(_ id: Epoch, _ body: (inout HeldEpoch) -> Void) {
        if let index = epochs.firstIndex(where: { $0.id == id }) { body(&epochs[index]) }
    }

    private mutating func append(_ id: Epoch) {
        described = id
        // The same one comes again with new texts.
        guard newest.map({ $0.id < id }) ?? true else { return }
        if epochs.count == Self.epochLimit { epochs.removeFirst() }
        epochs.append(HeldEpoch(id))
    }

    private mutating func cut(_ id: Epoch, at frame: FramePosition) {
        if let former, former.id == id {
            epochs.insert(former, at: 0)
            self.former = nil
        }
        guard let index = epochs.firstIndex(where: { $0.id == id }) else { return }
        epochs.removeLast(epochs.count - 1 - index)
        epochs[index].cut(at: frame)
    }
}

extension HeldBroadcast: WireSink {
    mutating func wireDidParse(_ message: ControlMessage) {
        switch message {
        case .welcome: isWelcome = true
        case .refusal(let refusal): self.refusal = refusal
        case .broadcastEnd(let end): farewell = end
        case .streamBegins(let epoch): append(epoch)
        case .packetsFollow(let epoch, let position): following = (epoch, position)
        case .entry(let mark): change(mark.epoch) { $0.enter(at: mark.frame) }
        case .anchor(let anchor): if anchor.isValid { change(anchor.epoch) { $0.place(anchor) } }
        case .cut(let epoch, let frame): cut(epoch, at: frame)
        case .streamEnds(let epoch, let end): change(epoch) { $0.end(at: end) }
        default: break
        }
    }

    mutating func streamDidParse(property: AudioStreamProperty) {
        if let described { change(described) { $0.note(property) } }
    }

    mutating func wireDidParse(packets: [AudioPacketDescription], data: ByteBuffer) {
        guard let (epoch, position) = following else { return }
        following = nil
        change(epoch) { $0.take(packets, data, at: position) }
    }

    /// They come by the other method.
    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
}
