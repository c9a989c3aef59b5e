import AudioCore
import AudioQueueServices
import ClockSync
import HostSystem
import Listening
import NIOCore
import NIOPosix
import Peering
import Playout
import SessionExecution
import Testing
import WireProtocol

@testable import TuttiRuntime

/// A listener whose sound device and broadcaster are played by the test. Confined to its event loop.
private final class ListeningScene: MachineOutlet, ListenTransport {
    let device: OutputDeviceDescription?
    private(set) var driver: ListenDriver?
    /// How the device was last set.
    private(set) var applied: LoudspeakerSettings?
    private(set) var timelines: [HostTimeline] = []
    /// What the broadcaster was sent.
    private(set) var sent: [ByteBuffer] = []
    private let rateStore: ClockRateStore
    private var events: @Sendable (ListenOutletEvent) -> Void = { _ in }

    private static let connection = ConnectionID(1)
    private static let rate = 8_000.0

    init(
        _ device: OutputDeviceDescription, _ settings: SettingsRequest, memory: any ListenerMemory, loop: any EventLoop
    ) throws(RuntimeFailure) {
        self.device = device
        rateStore = ClockRateStore(memory: memory, loop: loop, emit: { _ in })
        let greeting = Greeting(
            roles: .listener, peer: UUIDBytes(high: 1, low: 1), instance: 1, started: 0, name: "kitchen")
        var configuration = ListenConfiguration(greeting: greeting)
        configuration.allowedNames = ["attic"]
        driver = try ListenDriver(
            loop: loop, configuration: configuration, transport: self,
            makeOutlet: { (events) throws(RuntimeFailure) in
                self.events = events
                return self
            },
            settings: settings, rateStore: rateStore, statusInterval: .seconds(1), emit: { _ in })
    }

    /// A broadcaster comes, whose song begins ten seconds later.
    func joinBroadcast() {
        driver?.start()
        driver?.handle(.opened(Self.connection, .local, address: "this process", dial: nil))
        let greeting = Greeting(
            roles: .broadcaster, peer: UUIDBytes(high: 2, low: 2), instance: 2, started: 0, name: "attic")
        hear(WireEncoder.greeting(greeting))
        let key = [UInt8](repeating: 9, count: Welcome.clockKeyByteCount)
        hear(WireEncoder.welcome(Welcome(clockPort: 1, clockKey: key)))
        let format = AudioStreamFormat.linearPCM(
            sampleRate: Self.rate, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: [])
        hear(WireEncoder.stream(Epoch(1), properties: [.dataFormat(format), .info(.title, "Song")]))
        hear(WireEncoder.entry(EntryMark(epoch: Epoch(1), frame: .zero, lostPacketCount: 0)))
        let packet = AudioPacketDescription(startOffset: 0, byteCount: 800, frameCount: 400)
        let data = [UInt8](repeating: 1, count: 800)
        hear(WireEncoder.packets(Epoch(1), at: .zero, descriptions: [packet], data: data.span.bytes))
        let now = HostTime.now()
        let mapping = ClockMapping(host: now, session: SessionTime(nanoseconds: now.nanoseconds), skew: .zero)
        driver?.handle(
            .clock(
                ClockEstimate(
                    mapping: mapping, errorBound: .microseconds(5), asymmetryLimit: .microseconds(40),
                    roundTrip: .microseconds(80), skewBound: PartsPerMillion(1), generation: 0)))
        let start = SessionTime(nanoseconds: (now + .seconds(10)).nanoseconds)
        hear(
            WireEncoder.anchor(
                Anchor(epoch: Epoch(1), frame: .zero, session: start, framesPerSecond: Self.rate)))
    }

    private func hear(_ bytes: ByteBuffer) { driver?.handle(.received(Self.connection, bytes)) }

    /// The device vanishes, and this one comes in its place.
    func replug(_ device: OutputDeviceDescription) {
        events(.queue(.device(.vanished(.lost(device: device.name)))))
        events(.queue(.device(.returned(device))))
    }

    func wasTold(_ settings: LoudspeakerSettings) -> Bool {
        sent.contains(WireEncoder.settings(ListenerSettings(settings)))
    }

    func end() -> EventLoopFuture<Void> {
        driver?.close()
        driver = nil
        return rateStore.flush()
    }

    // MARK: MachineOutlet

    var playout: PlayoutSnapshot { PlayoutSnapshot() }

    func apply(_ settings: LoudspeakerSettings, group: VolumeSetting) { applied = settings }

    func close() {}

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {}

    func append(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {}

    func enqueue(_ packets: [AudioPacketDescription], data: RawSpan, at position: FramePosition, epoch: Epoch) {}

    func reenter(at frame: FramePosition, epoch: Epoch) {}

    func finish(at end: FramePosition, epoch: Epoch) {}

    func cut(at frame: FramePosition, epoch: Epoch) {}

    func resume(_ epoch: Epoch) {}

    func drop(_ epoch: Epoch) {}

    func setTimeline(_ timeline: HostTimeline) { timelines.append(timeline) }

    func hold(fade: TimeSpan) {}

    func stop(fade: TimeSpan) {}

    // MARK: ListenTransport

    func dial(_ dial: Dialer.Dial) {}

    func send(_ bytes: ByteBuffer, to id: ConnectionID) { sent.append(bytes) }

    func close(_ id: ConnectionID) {}

    func abort(_ id: ConnectionID) {}

    func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?) {}

    func stopClock() {}

    func restartClock() {}

    func broadcasterDidChange() {}

    func didReceive(household document: ByteBuffer, from id: ConnectionID) {}

    func didMeet(_ peer: MetPeer) {}

    func watchPins() {}
}

// Confined to its event loop.
extension ListeningScene: @unchecked Sendable {}

/// A listener whose sound device is unplugged, and the same or another one is plugged in.
@Suite(.timeLimit(.minutes(5))) struct ListenDriverTests {
    private static let former = device("hw:1, Former")
    private static let other = device("hw:1, Other")
    private static let ofFormer = LoudspeakerSettings(
        volume: Volume(percent: 40), role: .left, offset: .milliseconds(-35))
    private static let ofOther = LoudspeakerSettings(
        volume: Volume(percent: 70), role: .right, offset: .milliseconds(5))

    private static func device(_ identity: String) -> OutputDeviceDescription {
        OutputDeviceDescription(
            name: "hw:1", identity: identity, hasKnownCard: true, rate: 48_000, channelCount: 2,
            sampleFormat: "S32_LE", buffer: .milliseconds(150), period: .milliseconds(5))
    }

    /// Knows both devices.
    private func makeMemory() -> VolatileMemory {
        let memory = VolatileMemory()
        let values: [MemorySubject: Double] = [
            .volume("hw:1, Former"): 40, .role("hw:1, Former"): -1, .offset("hw:1, Former"): -35_000,
            .volume("hw:1, Other"): 70, .role("hw:1, Other"): -2, .offset("hw:1, Other"): 5_000,
        ]
        memory.records.withLock { records in
            for (subject, value) in values { records[subject] = MemoryRecord(value: value, unixSeconds: 0) }
        }
        return memory
    }

    /// Runs a listener in a broadcast on an event loop, step by step; between two of them everything happens that the
    /// first one caused.
    /// - Parameters:
    ///   - exactly: how it is to play, whatever is remembered.
    ///   - volume: given on the command line.
    private func listen(
        exactly: LoudspeakerSettings? = nil, volume: Volume? = nil, _ memory: VolatileMemory,
        steps: [@Sendable (ListeningScene) -> Void]
    ) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let scene = try loop.submit {
            let request = exactly.map { SettingsRequest.exactly($0) } ?? .remembered(volume: volume)
            let scene = try ListeningScene(Self.former, request, memory: memory, loop: loop)
            scene.joinBroadcast()
            return scene
        }.wait()
        defer { try? loop.flatSubmit { scene.end() }.wait() }
        for step in steps { try loop.submit { step(scene) }.wait() }
    }

    private func value(_ subject: MemorySubject, _ memory: VolatileMemory) -> Double? {
        memory.records.withLock { $0[subject]?.value }
    }

    @Test func anotherDevicePlaysByItsOwnSettings() throws {
        let memory = makeMemory()
        try listen(
            memory,
            steps: [
                { scene in
                    #expect(scene.driver?.broadcaster?.name == "attic")
                    #expect(scene.applied == Self.ofFormer && scene.wasTold(Self.ofFormer))
                    #expect(!scene.wasTold(Self.ofOther))
                    scene.replug(Self.other)
                },
                { scene in
                    #expect(scene.driver?.loudspeakers == Self.ofOther)
                    #expect(scene.applied == Self.ofOther && scene.wasTold(Self.ofOther))
                    guard let before = scene.timelines.first, let after = scene.timelines.last else {
                        Issue.record("nothing was placed")
                        return
                    }
                    #expect(abs((after.host - before.host).seconds - 0.040) < 1e-3)
                    scene.driver?.perform(.changeVolume(by: 5))
                },
            ])
        // What is set now is the new one's.
        #expect(value(.volume("hw:1, Other"), memory) == 75)
        #expect(value(.role("hw:1, Other"), memory) == -2)
        #expect(value(.offset("hw:1, Other"), memory) == 5_000)
        #expect(value(.volume("hw:1, Former"), memory) == 40)
        #expect(value(.offset("hw:1, Former"), memory) == -35_000)
    }

    @Test func theSameDevicePlaysOnAsItWasSet() throws {
        let memory = makeMemory()
        try listen(
            volume: Volume(percent: 60), memory,
            steps: [
                { scene in
                    scene.driver?.perform(.setVolume(Volume(percent: 20)))
                    scene.replug(Self.former)
                },
                { scene in #expect(scene.driver?.loudspeakers?.volume == Volume(percent: 20)) },
            ])
        #expect(value(.volume("hw:1, Former"), memory) == 20)
    }

    /// As at the start.
    @Test func whatIsGivenWinsForAnotherDeviceToo() throws {
        let memory = makeMemory()
        try listen(
            volume: Volume(percent: 60), memory,
            steps: [
                { $0.replug(Self.other) },
                { scene in
                    var expected = Self.ofOther
                    expected.volume = Volume(percent: 60)
                    #expect(scene.driver?.loudspeakers == expected && scene.applied == expected)
                },
            ])
        #expect(value(.volume("hw:1, Other"), memory) == 60)
    }

    @Test func settingsForAnyDeviceStay() throws {
        let memory = makeMemory()
        let exact = LoudspeakerSettings(volume: Volume(percent: 10), role: .mono)
        try listen(
            exactly: exact, memory,
            steps: [
                { $0.replug(Self.other) },
                { scene in #expect(scene.driver?.loudspeakers == exact && scene.applied == exact) },
            ])
        #expect(value(.volume("hw:1, Other"), memory) == 70)
    }
}
