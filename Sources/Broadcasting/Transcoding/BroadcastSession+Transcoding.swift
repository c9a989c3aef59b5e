import AudioCore
import AudioDecoding
import NIOCore
import Peering
import WireProtocol

/// Listeners that lack a decoder for the song.
extension BroadcastSession {
    /// Why a listener that lacks the song's codec cannot be sent PCM instead; nil if it can. For people.
    func obstacleToPCM(for greeting: Greeting, _ codec: Codec) -> String? {
        let lack = "this song is \(codec.commonName), which \(greeting.name) cannot decode"
        let remedy = AudioDecodingError.remedy(for: codec)
        guard greeting.codecs.contains(.linearPCM) else { return lack + remedy }
        guard configuration.decodableCodecs.contains(codec) else {
            return lack + ", and the broadcaster neither" + remedy
        }
        return pcmFailure.map { lack + ", and the broadcaster neither: \($0)" }
    }

    /// Keeps the PCM rendition filled to the horizon while somebody needs it, and no longer.
    mutating func transcodeAhead(_ now: HostTime) {
        guard connections.links.contains(where: { $0.isMember && $0.isSentPCM }) else {
            if pcm != nil { actions.append(.endTranscoding) }
            pcm = nil
            return
        }
        if pcm == nil {
            pcmCount += 1
            pcm = PCMRendition(number: pcmCount, of: summary, epoch: log.epoch)
        }
        let playing = position(now)
        let horizon = playing + frames(in: configuration.horizon)
        let primingFrameCount = timeline.primingFrameCount
        pcm?.trim(playing: playing)
        let request = pcm?.request(
            from: log, prerollPacketCount: summary.decoderPrerollPacketCount,
            primingFrameCount: primingFrameCount, playing: playing, horizon: horizon)
        if let request { actions.append(.transcode(request)) }
        if let pcm, pcm.skipCount > 0 {
            sayOnce(.warning, "this machine decodes too slowly: listeners that are sent PCM miss some of the song")
        }
    }

    /// Takes what was decoded. An answer to a rendition that is gone is of no use.
    mutating func take(_ reply: TranscodingReply, _ now: HostTime) {
        guard reply.rendition == pcm?.number else { return }
        switch reply.outcome {
        case .frames(let data, let position):
            let framesPerGroup = Int(frames(in: BroadcastLimits.groupTime))
            pcm?.append(data, at: position, framesPerGroup: framesPerGroup)
        case .failed(let text):
            pcmFailure = text
            pcm = nil
            actions.append(.endTranscoding)
            for id in connections.ids {
                guard let link = connections[id], link.isSentPCM, let greeting = link.connection.greeting,
                    let codec = summary.format?.codec, let obstacle = obstacleToPCM(for: greeting, codec)
                else { continue }
                refuse(id, Refusal(.cannotDecode, obstacle), now)
            }
        }
    }
}

/// What listeners are sent: the song's own packets, or linear PCM.
struct SongForm {
    var log: PacketLog
    var streamMessage: ByteBuffer
    var prerollPacketCount: Int
    /// No message comes behind the log's last.
    var isComplete: Bool
}

extension BroadcastSession {
    /// The song's own packets; nil before its format is known.
    var songForm: SongForm? {
        streamMessage.map {
            SongForm(
                log: log, streamMessage: $0, prerollPacketCount: summary.decoderPrerollPacketCount,
                isComplete: end != nil)
        }
    }

    /// What is made of them for those who cannot decode them.
    var pcmForm: SongForm? {
        pcm.map {
            SongForm(
                log: $0.log, streamMessage: $0.streamMessage, prerollPacketCount: 0,
                isComplete: end != nil && $0.isLevel(with: log))
        }
    }
}
