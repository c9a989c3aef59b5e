import AudioCore
import NIOCore

/// Makes one endless MP3 of what is held of a broadcast: songs that are MP3 as they are, others encoded, silence where
/// nothing plays, so that no player gives up.
///
/// It keeps two clocks apart: a packet is streamed 2 s before it is due, which is a player's buffer; and no more than
/// 2 s of sound are streamed ahead of time, whatever was skipped meanwhile. So a jump does not make the stream later
/// and later: at most by those 2 s, and a pause makes up for it.
struct StreamOutput {
    /// How far ahead the stream is.
    static let lead = TimeSpan.seconds(2)
    /// How far ahead silence is, so that it does not keep a song waiting.
    static let silentLead = TimeSpan.milliseconds(500)
    /// Priming and padding of a song that follows another one: the stream has them, and the broadcast's time has not.
    private static let borderSpan = TimeSpan.milliseconds(300)

    private enum Source {
        /// Frames as they came; what silence looks like between them.
        case frames(SilentFrame)
        case encoder(any StreamEncoder, StereoMix)
    }

    private let makeEncoder: StreamEncoderMaker?
    private var source = Source.frames(.standard)
    /// Of all that is encoded: that of the first song.
    private var outputRate: Int?
    /// Up to when the stream sounds, if it sounded at once; nil before it began.
    private var filled: SessionTime?
    /// What was streamed last.
    private var epoch: Epoch?

    /// - Parameter makeEncoder: nil where none is installed: songs that are no MP3 are silent.
    init(_ makeEncoder: StreamEncoderMaker?) { self.makeEncoder = makeEncoder }

    /// Returns what is to be streamed by now.
    mutating func poll(_ held: inout HeldBroadcast, now: SessionTime) -> ByteBuffer {
        var bytes = ByteBuffer()
        // Nothing is made up for that was not streamed when it was time.
        var filled = max(self.filled ?? now, now)
        while filled - now < Self.lead {
            if let (piece, epoch) = held.pop(dueBy: now + Self.lead) {
                if self.epoch != epoch.id { filled = border(before: piece, of: epoch, filled) }
                filled += write(piece, of: epoch, to: &bytes)
            } else if filled - now < (held.nextDue == nil ? Self.silentLead : .nanoseconds(1)) {
                filled += writeSilence(to: &bytes)
            } else {
                break
            }
        }
        self.filled = filled
        return bytes
    }

    /// Returns what is left when nothing follows.
    mutating func finish() -> ByteBuffer {
        guard case .encoder(let encoder, _) = source else { return ByteBuffer() }
        source = .frames(.standard)
        return encoder.flush()
    }

    /// Returns up to when the stream sounds, before another song.
    private mutating func border(
        before piece: HeldEpoch.Piece, of next: HeldEpoch, _ filled: SessionTime
    ) -> SessionTime {
        epoch = next.id
        if outputRate == nil, let rate = next.format?.sampleRate {
            outputRate = Int(rate) % 11_025 == 0 ? 44_100 : 48_000
        }
        guard let due = next.anchor?.session(of: piece.position), filled > due, filled - due < Self.borderSpan else {
            return filled
        }
        return due
    }

    // MARK: Sound

    /// Returns how long it sounds.
    private mutating func write(
        _ piece: HeldEpoch.Piece, of epoch: HeldEpoch, to bytes: inout ByteBuffer
    ) -> TimeSpan {
        guard let format = epoch.format, format.sampleRate > 0 else { return .zero }
        let span = TimeSpan(seconds: Double(piece.frameCount) / format.sampleRate)
        switch format.codec {
        case .mpegLayer3:
            guard let header = MPEGFrameHeader(piece.bytes.readableBytesSpan, at: 0),
                let silence = SilentFrame(like: header)
            else { return .zero }
            if case .encoder(let encoder, _) = source { bytes.writeImmutableBuffer(encoder.flush()) }
            source = .frames(silence)
            bytes.writeImmutableBuffer(piece.bytes)
            return span
        case .linearPCM:
            guard let (encoder, mix) = encoder(for: epoch, flushingTo: &bytes) else { return .zero }
            bytes.writeImmutableBuffer(encoder.encode(mix.stereo(piece)))
            return span
        default: return .zero
        }
    }

    /// The encoder goes on from song to song of one format: nothing is between them then.
    private mutating func encoder(
        for epoch: HeldEpoch, flushingTo bytes: inout ByteBuffer
    ) -> (encoder: any StreamEncoder, mix: StereoMix)? {
        guard let makeEncoder, let format = epoch.format else { return nil }
        if case .encoder(let encoder, let mix) = source {
            if mix.format == format { return (encoder, mix) }
            bytes.writeImmutableBuffer(encoder.flush())
            source = .frames(.standard)
        }
        guard let mix = StereoMix(format, epoch.layout),
            let encoder = makeEncoder(Int(format.sampleRate), outputRate ?? 44_100)
        else { return nil }
        source = .encoder(encoder, mix)
        return (encoder, mix)
    }

    private mutating func writeSilence(to bytes: inout ByteBuffer) -> TimeSpan {
        switch source {
        case .frames(let silence):
            bytes.writeImmutableBuffer(silence.bytes)
            return silence.span
        case .encoder(let encoder, let mix):
            let frameCount = 1_152
            bytes.writeImmutableBuffer(encoder.encode([Float](repeating: 0, count: 2 * frameCount)))
            return TimeSpan(seconds: Double(frameCount) / mix.format.sampleRate)
        }
    }
}
