import AudioCore
import NIOCore
import SecureChannel

/// Packets messages that stand one behind the other in a log.
struct PacketRun {
    /// Which messages these are. Their numbers would not do: PCM that is decoded anew counts from 0 again.
    struct Identity: Hashable {
        var epoch: Epoch
        var form: SongForm.Kind
        var first: FramePosition
        var end: FramePosition
        var byteCount: Int
    }

    let identity: Identity
    let messages: [ByteBuffer]

    /// The messages in pieces of about ``BroadcastLimits/sharedPieceByteCount``, to be encrypted once for all listeners
    /// that are sent them. What is too small or too large for that goes to each on its own.
    var sharedPieces: [OutgoingPiece] {
        var pieces: [OutgoingPiece] = []
        var start = 0
        while start < messages.count {
            var (end, byteCount) = (start, 0)
            repeat {
                byteCount += messages[end].readableBytes
                end += 1
            } while end < messages.count
                && byteCount + messages[end].readableBytes <= BroadcastLimits.sharedPieceByteCount
            let part = Array(messages[start..<end])
            let isWorthIt = byteCount >= BroadcastLimits.leastSharedByteCount
            if isWorthIt, byteCount <= SecureChannelLimits.sharedPartByteCount {
                pieces.append(.shared(SharedMessages(part)))
            } else {
                pieces += part.map { .message($0) }
            }
            start = end
        }
        return pieces
    }
}

/// What was sent to listeners since all of them were looked at, for others that are to be sent the same.
struct SharedRuns {
    /// Beyond that, listeners have little in common.
    private static let limit = 64

    private var pieces: [PacketRun.Identity: [OutgoingPiece]] = [:]

    mutating func forget() { pieces.removeAll(keepingCapacity: true) }

    /// Returns the pieces in which this run is sent to everybody.
    mutating func pieces(of run: PacketRun) -> [OutgoingPiece] {
        if let known = pieces[run.identity] { return known }
        if pieces.count >= Self.limit { forget() }
        let made = run.sharedPieces
        pieces[run.identity] = made
        return made
    }
}
