import AudioCore
import AudioDecoding
import HostSystem
import MPEGDecoding
import NIOCore
import Synchronization
import Testing
import TuttiRuntime
import WireProtocol

/// A listener without loudspeakers: takes what it is sent, and decodes it afterwards.
final class RecordingPeer: Sendable {
    /// What one listener was sent.
    struct Recording: WireSink {
        var properties: [AudioStreamProperty] = []
        var packets: [(position: FramePosition, frameCount: Int, bytes: [UInt8])] = []
        var entry: EntryMark?
        var end: FramePosition?
        var refusal: Refusal?
        private var next: FramePosition?

        var format: AudioStreamFormat? {
            for case .dataFormat(let format) in properties { return format }
            return nil
        }

        private var primingFrameCount: Int {
            for case .packetTableInfo(let table) in properties { return table.primingFrameCount }
            return 0
        }

        mutating func wireDidParse(_ message: ControlMessage) {
            switch message {
            case .packetsFollow(_, let position): next = position
            case .entry(let mark): entry = mark
            case .streamEnds(_, let position): end = position
            case .refusal(let refusal): self.refusal = refusal
            default: break
            }
        }

        mutating func streamDidParse(property: AudioStreamProperty) { properties.append(property) }

        mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
            guard var position = next else { return }
            for index in descriptions.indices {
                let packet = descriptions[index]
                let bytes = data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount)
                packets.append((position, packet.frameCount, bytes.withUnsafeBytes { Array($0) }))
                position += Int64(packet.frameCount)
            }
            next = position
        }

        /// The frames from where it entered to the song's end, as its decoder makes them.
        func decoded() throws -> (first: FramePosition, samples: [Float]) {
            var catalog = DecoderCatalog.builtIn
            catalog.registerMPEG()
            let format = try #require(format)
            let decoder = try catalog.makeDecoder(for: format)
            let (entry, end) = (try #require(entry).frame, try #require(end))
            var position = try #require(packets.first).position
            decoder.reset(streamFrame: position.index + Int64(primingFrameCount))
            var output: [Float] = []
            for packet in packets {
                try #require(packet.position == position)
                var samples = [Float](repeating: 0, count: packet.frameCount * format.channelsPerFrame)
                var span = samples.mutableSpan
                try decoder.decode(packet: packet.bytes.span.bytes, frameCount: packet.frameCount, into: &span)
                let first = Int(min(max(0, entry - position), Int64(packet.frameCount)))
                let last = Int(min(max(0, end - position), Int64(packet.frameCount)))
                output += samples[(first * format.channelsPerFrame)..<(max(first, last) * format.channelsPerFrame)]
                position += Int64(packet.frameCount)
            }
            return (entry, output)
        }
    }

    private let recording = Mutex(Recording())
    private let thread: HostThread

    /// - Parameter delay: how long after it was made it calls the broadcaster.
    init(port: UInt16, name: String, codecs: [Codec], delay: TimeSpan = .zero) throws {
        let relay = Relay()
        thread = try HostThread(name: "recording") {
            sleepThread(for: delay)
            var recording = Recording()
            let identity = Identity.test(name)
            let greeting = Greeting(
                roles: .listener, peer: identity.peer, instance: identity.instance, started: 0, name: name,
                codecs: codecs)
            // A broadcast waits for this listener without end; a busy machine may take its time to open the port.
            if let peer = RawPeer(port: port, patience: 60, keys: identity.keys) {
                Self.talk(to: peer, greeting, &recording)
            }
            relay.target?.recording.withLock { $0 = recording }
        }
        relay.target = self
    }

    private static func talk(to peer: RawPeer, _ greeting: Greeting, _ recording: inout Recording) {
        var parser = WireParser()
        peer.say(Array(WireEncoder.greeting(greeting).readableBytesView))
        while let bytes = peer.hear(within: 200) {
            do { try parser.parse(bytes.span.bytes, into: &recording) } catch { return }
            guard let last = recording.packets.last else { continue }
            let received = last.position + Int64(last.frameCount)
            let state: ListenerState = recording.end == nil ? .ready : .finished
            let epoch = recording.entry?.epoch ?? Epoch(1)
            let report = ListenerReport(state: state, epoch: epoch, received: received, buffered: .zero)
            peer.say(Array(WireEncoder.report(report).readableBytesView))
        }
    }

    /// What it was sent, when the broadcast is over.
    func end() -> Recording {
        thread.join()
        return recording.withLock { $0 }
    }

    /// Set before the broadcast can be over.
    private final class Relay: @unchecked Sendable {
        weak var target: RecordingPeer?
    }
}
