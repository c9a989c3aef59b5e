import AudioCore
import NIOCore
import WireProtocol

/// What a stream holds of one epoch: packets that are not streamed yet, in their order.
struct HeldEpoch {
    /// A packet, or PCM frames that follow one another.
    struct Piece {
        let bytes: ByteBuffer
        let position: FramePosition
        let frameCount: Int
    }

    let id: Epoch
    private(set) var format: AudioStreamFormat?
    private(set) var layout: AudioChannelLayout?
    private(set) var anchor: Anchor?
    /// Whether the mark came where the sound begins.
    private(set) var hasBegun = false
    /// The frame after the last one received.
    private(set) var received = FramePosition.zero
    private(set) var end: FramePosition?
    /// The frame before which the sound ends for now.
    private(set) var cut: FramePosition?
    private(set) var pieces = CircularBuffer<Piece>()
    private(set) var byteCount = 0

    init(_ id: Epoch) { self.id = id }

    mutating func note(_ property: AudioStreamProperty) {
        switch property {
        case .dataFormat(let format): self.format = format
        case .channelLayout(let layout): self.layout = layout
        default: break
        }
    }

    mutating func enter(at frame: FramePosition) {
        if !hasBegun { received = frame }
        hasBegun = true
    }

    /// Takes the anchor, which ends a pause.
    mutating func place(_ anchor: Anchor) {
        self.anchor = anchor
        cut = nil
    }

    mutating func cut(at frame: FramePosition) { cut = frame }
    mutating func end(at frame: FramePosition) { end = frame }

    mutating func take(_ packets: [AudioPacketDescription], _ data: ByteBuffer, at position: FramePosition) {
        guard hasBegun else { return }
        var position = position
        if format?.codec == .linearPCM {
            let frameCount = packets.reduce(0) { $0 + $1.frameCount }
            append(Piece(bytes: data, position: position, frameCount: frameCount))
            position += Int64(frameCount)
        } else {
            for packet in packets {
                guard
                    let bytes = data.getSlice(at: data.readerIndex + packet.startOffset, length: packet.byteCount)
                else { return }
                append(Piece(bytes: bytes, position: position, frameCount: packet.frameCount))
                position += Int64(packet.frameCount)
            }
        }
        received = max(received, position)
    }

    private mutating func append(_ piece: Piece) {
        pieces.append(piece)
        byteCount += piece.bytes.readableBytes
    }

    /// Takes out the next piece.
    mutating func pop() -> Piece? {
        let piece = pieces.popFirst()
        byteCount -= piece?.bytes.readableBytes ?? 0
        return piece
    }

    /// Drops what is held.
    mutating func empty() {
        pieces.removeAll()
        byteCount = 0
    }

    // MARK: Time

    /// When the next piece is due; nil if none is held, or none is due for now.
    var nextDue: SessionTime? {
        guard let anchor, let piece = pieces.first, cut.map({ piece.position < $0 }) ?? true else { return nil }
        return anchor.session(of: piece.position)
    }

    /// As a recorder reports it: there is no sound card here whose clock would count.
    func state(at now: SessionTime) -> ListenerState {
        guard hasBegun else { return .preparing }
        if let end, received >= end, let anchor, cut == nil, now >= anchor.session(of: end) { return .finished }
        if cut != nil { return .paused }
        return anchor == nil ? .ready : .playing
    }
}
