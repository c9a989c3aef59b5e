import AudioCore
import AudioDecoding
import ClockSync
import Glibc
import HostSystem
import LibavcodecDecoding
import NIOCore
import NIOPosix
import Programmes
import SecureChannel
import StreamTestKit
import Synchronization
import Testing
import WireProtocol

@testable import TuttiRuntime

/// A decoder's process that hangs is nobody else's affair.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HungWorkerTests {
    /// A listener that keeps what it is sent, and asks for the time over its connection ten times a second.
    private struct ReceivingListener: WireSink {
        private(set) var welcome: Welcome?
        private(set) var packetCount = 0
        /// The frames that it has: from where it began.
        private(set) var received: (first: FramePosition, end: FramePosition)?
        private(set) var gapCount = 0
        private(set) var newestReply: UInt32?
        private var next: FramePosition?

        mutating func wireDidParse(_ message: ControlMessage) {
            switch message {
            case .welcome(let welcome): self.welcome = welcome
            case .packetsFollow(_, let position): next = position
            case .clock(let datagram): newestReply = ClockDatagram.sequence(of: datagram)
            default: break
            }
        }

        mutating func streamDidParse(property: AudioStreamProperty) {}

        mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
            guard var position = next else { return }
            packetCount += packets.count
            if let received, received.end != position { gapCount += 1 }
            let first = received?.first ?? position
            for index in packets.indices { position += Int64(packets[index].frameCount) }
            received = (first, position)
            next = position
        }

        /// What it found.
        struct Findings {
            var welcomed: TimeSpan?
            var longestWaitForAReply = TimeSpan.zero
            var replyCount = 0
            var listener = ReceivingListener()
        }

        static func listen(port: UInt16, for span: TimeSpan) throws -> Findings {
            let keys = PeerKeyPair.random()
            let peer = try #require(RawPeer(port: port, keys: keys))
            let greeting = Greeting(
                roles: .listener, peer: keys.key.uuid, instance: .random(in: .min ... .max), started: 0,
                name: "kitchen",
                codecs: [.flac])
            peer.say(Array(WireEncoder.greeting(greeting).readableBytesView))
            var findings = Findings()
            var parser = WireParser()
            let start = HostTime.now()
            var asked: HostTime?
            var sequence: UInt32 = 0
            var key: ClockKey?
            var reported: FramePosition?
            while HostTime.now() - start < span, let bytes = peer.hear(within: 20) {
                try parser.parse(bytes.span.bytes, into: &findings.listener)
                // Who does not say what came is sent a second.
                if let received = findings.listener.received?.end, received != reported {
                    let report = ListenerReport(state: .ready, epoch: Epoch(1), received: received, buffered: .zero)
                    peer.say(Array(WireEncoder.report(report).readableBytesView))
                    reported = received
                }
                let now = HostTime.now()
                if key == nil, let welcome = findings.listener.welcome {
                    findings.welcomed = now - start
                    key = ClockKey(bytes: welcome.clockKey)
                }
                if let asked {
                    findings.longestWaitForAReply = max(findings.longestWaitForAReply, now - asked)
                }
                if asked != nil, findings.listener.newestReply == sequence {
                    asked = nil
                    findings.replyCount += 1
                }
                let isTime = now - start >= .milliseconds(100 * Int64(sequence))
                guard asked == nil, isTime, let key else { continue }
                sequence += 1
                let request = ClockDatagram(
                    kind: .request, keyIdentifier: key.identifier, sequence: sequence, cookie: UInt64(sequence))
                peer.say(Array(WireEncoder.clock(request.encoded(under: key)).readableBytesView))
                asked = now
            }
            return findings
        }
    }

    /// Half a minute of what looks like FLAC.
    private static var song: [UInt8] {
        var writer = FLACWriter()
        let count = 30 * writer.sampleRate / writer.blockSize
        writer.frameCount = count * writer.blockSize
        return writer.file(frames: writer.frames(blockSizes: Array(repeating: writer.blockSize, count: count)))
    }

    @Test func aWorkerOfTheOwnLoudspeakersThatHangsIsNobodyElsesAffair() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/song.flac"
        try Tool.writeFile(path, Self.song)
        let program = HungProgram()
        var decoders = DecoderCatalog.builtIn
        decoders.registerLibraryDecoders(
            program: WorkerProgram(path: program.path, arguments: program.arguments), availability: .supported)
        var options = BroadcastOptions()
        options.name = "study"
        options.start = .now
        options.output = .null
        options.network.port = freePort()
        options.network.usesDiscovery = false

        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let runner = BroadcastRunner(
            items: [NewItem(song: path)], options: options, identity: .test("study"), loop: loop, decoders: decoders,
            emit: { _ in })
        let ticks = Ticks(loop)
        let outcome = loop.flatSubmit { runner.run() }
        #expect(waitUntil(within: .seconds(10)) { !program.processIDs.isEmpty }, "the worker was not started")

        let findings = try ReceivingListener.listen(port: options.network.port ?? 0, for: .seconds(4))
        let isHanging = !program.processIDs.isEmpty
        let longestTick = ticks.longest
        let stopping = HostTime.now()
        loop.execute { runner.stop() }
        #expect(try outcome.wait() == .stopped)
        let stopped = HostTime.now() - stopping

        #expect(isHanging, "the worker did not hang for as long as others were looked at")
        #expect(findings.welcomed.map { $0 < .seconds(1) } == true)
        #expect(findings.longestWaitForAReply < .seconds(1) && findings.replyCount > 20, "\(findings)")
        #expect(findings.listener.gapCount == 0)
        // What may be sent ahead, and most of what was played meanwhile.
        let received = try #require(findings.listener.received)
        #expect(received.end - received.first > Int64(12 * 44_100), "\(findings)")
        #expect(longestTick < .seconds(1))
        #expect(stopped < .seconds(3))
        #expect(program.processIDs.isEmpty)
    }

    /// How far apart the ticks of an event loop are that should come every 10 ms.
    private final class Ticks: Sendable {
        private let state = Mutex((newest: HostTime.now(), longest: TimeSpan.zero))

        init(_ loop: any EventLoop) {
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(10)) { [weak self] _ in self?.note() }
        }

        private func note() {
            let now = HostTime.now()
            state.withLock { $0 = (now, max($0.longest, now - $0.newest)) }
        }

        /// Also of the one that has not come yet.
        var longest: TimeSpan {
            note()
            return state.withLock(\.longest)
        }
    }
}
