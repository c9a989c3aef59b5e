import AudioCore
import WireProtocol

/// The song as linear PCM, for all listeners that lack a decoder for it.
///
///     none ──somebody needs it──▶ made ──nobody does any more──▶ none
///                                  └──the song cannot be decoded──▶ failed
struct SharedPCM {
    /// What to do for it.
    enum Step {
        case transcode(TranscodingRequest)
        /// Release the decoder.
        case release
        /// Decoding was too slow: a part of the song is left out.
        case fellBehind
    }

    private enum State {
        case none
        case made(TranscodedSong)
        /// The reason for people; follows a colon.
        case failed(String)
    }

    private var state = State.none
    private let epoch: Epoch
    /// Renditions so far.
    private var count: UInt32 = 0

    init(_ epoch: Epoch) { self.epoch = epoch }

    /// Why there is no PCM, in words for people; follows a colon.
    var failure: String? { if case .failed(let text) = state { text } else { nil } }

    /// The present rendition's number.
    private var number: RenditionNumber? { if case .made(let rendition) = state { rendition.number } else { nil } }

    /// Keeps the rendition filled up to the horizon while a listener needs it, and no longer.
    /// - Parameters:
    ///   - playing: the frame that is due now.
    ///   - horizon: messages of the song that begin later are not decoded.
    mutating func keep(
        _ song: BroadcastSong, isNeeded: Bool, playing: FramePosition, horizon: FramePosition
    ) -> [Step] {
        guard isNeeded else { return release() }
        let number = RenditionNumber(epoch: epoch, count: count + 1)
        if case .none = state, let rendition = TranscodedSong(number: number, of: song.summary) {
            count += 1
            state = .made(rendition)
        }
        return change { rendition in
            rendition.trim(playing: playing)
            let skipCount = rendition.skipCount
            let request = rendition.request(
                from: song.log, prerollPacketCount: song.summary.decoderPrerollPacketCount,
                primingFrameCount: song.primingFrameCount, playing: playing, horizon: horizon)
            let fellBehind: [Step] = rendition.skipCount > skipCount ? [.fellBehind] : []
            return (request.map { [.transcode($0)] } ?? []) + fellBehind
        } ?? []
    }

    private mutating func release() -> [Step] {
        guard case .made = state else { return [] }
        state = .none
        return [.release]
    }

    /// Takes what was decoded of `song`; ignores replies to an older rendition.
    /// - Returns: whether the song turned out not to be decodable; the decoder is then useless.
    mutating func take(_ reply: TranscodingReply, of song: BroadcastSong) -> Bool {
        guard reply.rendition == number else { return false }
        switch reply.outcome {
        case .frames(let data, let position):
            let framesPerGroup = Int(song.frames(in: BroadcastLimits.groupTime))
            _ = change { $0.append(data, at: position, framesPerGroup: framesPerGroup) }
            return false
        case .failed(let text):
            state = .failed(text)
            return true
        }
    }

    /// Shows another title from now on.
    mutating func retitle(_ song: BroadcastSong) {
        _ = change { $0.retitle(song.summary) }
    }

    /// Returns the form for listeners that are sent PCM; nil while there is none.
    func form(of song: BroadcastSong) -> SongForm? {
        guard case .made(let rendition) = state else { return nil }
        return SongForm(
            log: rendition.log, streamMessage: rendition.streamMessage, prerollPacketCount: 0,
            isComplete: song.end != nil && rendition.isLevel(with: song.log))
    }

    /// Returns whether nothing of `song` is left to be decoded.
    func isLevel(with song: BroadcastSong) -> Bool {
        guard case .made(let rendition) = state else { return true }
        return song.end != nil && rendition.isLevel(with: song.log)
    }

    /// Changes the rendition in place, without copying its log.
    private mutating func change<Result>(_ body: (inout TranscodedSong) -> Result) -> Result? {
        guard case .made(var rendition) = state else { return nil }
        state = .none
        defer { state = .made(rendition) }
        return body(&rendition)
    }
}
