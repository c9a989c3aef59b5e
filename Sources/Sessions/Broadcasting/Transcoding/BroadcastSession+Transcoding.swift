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
        return pcm.failure.map { lack + ", and the broadcaster neither: \($0)" }
    }

    /// Keeps the PCM rendition filled to the horizon while a listener needs it.
    mutating func transcodeAhead(_ now: HostTime) {
        let playing = position(now)
        let steps = pcm.keep(
            song, isNeeded: connections.links.contains(where: \.isSentPCM), playing: playing,
            horizon: playing + song.frames(in: configuration.horizon))
        for step in steps {
            switch step {
            case .transcode(let request): actions.append(.transcode(request))
            case .release: actions.append(.endTranscoding)
            case .fellBehind: notifyOnce(.decodingTooSlow, from: "")
            }
        }
    }

    /// Takes decoded frames.
    mutating func take(_ reply: TranscodingReply, _ now: HostTime) {
        guard pcm.take(reply, of: song) else { return }
        actions.append(.endTranscoding)
        for link in connections.links where link.isSentPCM {
            guard let greeting = link.connection.greeting, let codec = song.codec,
                let obstacle = obstacleToPCM(for: greeting, codec)
            else { continue }
            refuse(link.id, Refusal(.cannotDecode, obstacle), now)
        }
    }
}
