import AudioCore
import AudioDecoding
import WireProtocol

/// Serving listeners that lack a decoder for the song.
extension BroadcastSession {
    /// Returns why a listener that lacks the song's codec cannot be sent PCM, in words for people; nil if it can.
    func obstacleToPCM(for greeting: Greeting, _ codec: Codec) -> String? {
        let lack = "this song is \(codec.commonName), which \(greeting.name) cannot decode"
        let remedy = AudioDecodingError.remedy(for: codec)
        guard greeting.codecs.contains(.linearPCM) else { return lack + remedy }
        guard configuration.decodableCodecs.contains(codec) else {
            return lack + ", and the broadcaster neither" + remedy
        }
        return timeline.heard.pcm.failure.map { lack + ", and the broadcaster neither: \($0)" }
    }

    /// Keeps the PCM renditions filled to the horizon while listeners need them, one after the other.
    mutating func transcodeAhead(_ now: HostTime) {
        let (links, span) = (connections.links, configuration.horizon)
        // No copy of a track is kept meanwhile: its log would be copied with every change.
        for epoch in timeline.tracks.map(\.epoch) {
            let steps = timeline.with(epoch) { track in
                let (codec, position) = (track.song.codec, track.position(now))
                return track.pcm.keep(
                    track.song, isNeeded: links.contains { $0.form(for: codec) == .linearPCM },
                    playing: max(position, track.firstFrame), horizon: position + track.song.frames(in: span))
            }
            for step in steps ?? [] {
                switch step {
                case .transcode(let request): actions.append(.transcode(request))
                case .release: actions.append(.endTranscoding)
                case .fellBehind: notifyOnce(.decodingTooSlow, from: "")
                }
            }
            guard timeline.with(epoch, { $0.pcm.isLevel(with: $0.song) }) == true else { return }
        }
    }

    /// Takes decoded frames.
    mutating func take(_ reply: TranscodingReply, _ now: HostTime) {
        let epoch = reply.rendition.epoch
        guard timeline.with(epoch, { $0.pcm.take(reply, of: $0.song) }) == true else { return }
        actions.append(.endTranscoding)
        guard let codec = timeline.tracks.first(where: { $0.epoch == epoch })?.song.codec else { return }
        for link in connections.links where link.form(for: codec) == .linearPCM {
            guard let greeting = link.connection.greeting, let obstacle = obstacleToPCM(for: greeting, codec) else {
                continue
            }
            refuse(link.id, Refusal(.cannotDecode, obstacle), now)
        }
    }
}
