import AudioCore
import Broadcasting
import NIOCore
import WireProtocol

/// Reading songs, and decoding them.
extension BroadcastNode {
    public func openSource(_ request: SourceRequest) {
        let name: String
        switch request.origin {
        case .location(.local(let path)): name = path
        case .location(.web(let address)): name = address.text
        default: return
        }
        let song = songs[name] ?? performance.song
        let first = request.firstFrame.index
        reading[request.epoch] = (song, first > 0 ? first : -Int64(song.primingFrameCount), first)
    }

    public func closeSource(_ epoch: Epoch) { reading[epoch] = nil }

    /// A reader takes some milliseconds, and gives as much as it likes.
    public func readSource(_ epoch: Epoch) {
        let time = random.span(.milliseconds(1) ... .milliseconds(6)) + liveWait(reading[epoch]?.next ?? 0)
        let count = livePauses == nil ? 1 + Int(random.uniform() * 12) : 2
        machine.after(time) { [unowned self] in
            guard let (song, next, first) = reading[epoch] else { return }
            if let sourceFailure, next >= sourceFailure.frame {
                return handle(.source(epoch, .failed(sourceFailure.text, .nothing)))
            }
            let (packets, data) = song.packets(from: next, count: count)
            guard !packets.isEmpty else { return handle(.source(epoch, .ended(.nothing))) }
            let isBeginning = next == (first > 0 ? first : -Int64(song.primingFrameCount))
            reading[epoch]?.next += packets.reduce(0) { $0 + Int64($1.frameCount) }
            if isBeginning, first > 0 {
                handle(.source(epoch, .read(properties: song.properties, packets: [], data: ByteBuffer())))
                handle(.source(epoch, .sought(FramePosition(first))))
            }
            let properties = isBeginning && first <= 0 ? song.properties : []
            handle(.source(epoch, .read(properties: properties, packets: packets, data: data)))
        }
    }

    /// How long the next packets are still to come.
    private func liveWait(_ next: Int64) -> TimeSpan {
        guard let livePauses else { return .zero }
        let since = liveSince ?? machine.loop.now
        liveSince = since
        let paused = livePauses.filter { $0.frame <= next }.reduce(TimeSpan.zero) { $0 + $1.span }
        let due = since + TimeSpan(seconds: Double(next) / VirtualSong.sampleRate) + paused
        return max(.zero, due - machine.loop.now)
    }

    /// A decoder takes its time too, and one piece after the other.
    public func transcode(_ request: TranscodingRequest) {
        transcodingCount += 1
        let now = machine.loop.now
        transcoderFree = max(transcoderFree, now) + random.span(.microseconds(200)...transcodingTime)
        machine.after(transcoderFree - now) { [unowned self] in
            handle(.transcoded(transcoder.answer(request)))
        }
    }

    public func endTranscoding() {
        transcodingEndCount += 1
        transcoder.release()
    }
}
