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
    /// The loudest that it was ever set to.
    private(set) var loudest = Volume.silent
    /// What this machine's wall clock shows.
    var minuteOfDay = MinuteOfDay(hour: 12, minute: 0)
    private(set) var timelines: [HostTimeline] = []
    /// What the broadcaster was sent.
    private(set) var sent: [ByteBuffer] = []
    private let rateStore: ClockRateStore
    private var events: @Sendable (ListenOutletEvent) -> Void = { _ in }

    private static let connection = ConnectionID(1)
    private static let rate = 8_000.0

    init(
        _ device: OutputDeviceDescription, _ settings: SettingsRequest, limit: VolumeLimit,
        memory: any ListenerMemory, loop: any EventLoop
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
            settings: settings, limit: limit, minuteOfDay: { [unowned self] in self.minuteOfDay },
            rateStore: rateStore, statusInterval: .seconds(1), emit: { _ in })
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

    /// The broadcaster passes a command on.
    func command(_ operation: ListenerOperation) {
        hear(WireEncoder.command(Command(.listeners(operation, of: .named("kitchen")))))
    }

    private func hear(_ bytes: ByteBuffer) { driver?.handle(.received(Self.connection, bytes)) }

    /// The device vanishes, and this one comes in its place.
    func replug(_ device: OutputDeviceDescription) {
        events(.queue(.device(.vanished(.lost(device: device.name)))))
        events(.queue(.device(.returned(device))))
    }

    func wasTold(_ settings: LoudspeakerSettings) -> Bool { toldCount(settings) > 0 }

    /// How often the broadcaster was told of these.
    func toldCount(_ settings: LoudspeakerSettings) -> Int {
        sent.count { $0 == WireEncoder.settings(ListenerSettings(settings)) }
    }

    func end() -> EventLoopFuture<Void> {
        driver?.close()
        driver = nil
        return rateStore.flush()
    }

    // MARK: MachineOutlet

    var playout: PlayoutSnapshot { PlayoutSnapshot() }

    func apply(_ settings: LoudspeakerSettings, group: VolumeSetting) {
        applied = settings
        loudest = max(loudest, settings.volume)
    }

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

    func takeEstimate() -> ClockEstimate? { nil }

    func restartClock() {}

    func broadcasterDidChange() {}

    func lookUp(_ lookup: Lookup, for id: ConnectionID) {}
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
        exactly: LoudspeakerSettings? = nil, volume: Volume? = nil, limit: VolumeLimit = .none,
        _ memory: VolatileMemory, steps: [@Sendable (ListeningScene) -> Void]
    ) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let scene = try loop.submit {
            let request = exactly.map { SettingsRequest.exactly($0) } ?? .remembered(volume: volume)
            let scene = try ListeningScene(Self.former, request, limit: limit, memory: memory, loop: loop)
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

    /// And is no mute of the device that was there when it began.
    @Test func aPauseGoesOnWithAnotherDevice() throws {
        let memory = makeMemory()
        try listen(
            memory,
            steps: [
                { scene in
                    scene.driver?.perform(.setPaused(true))
                    scene.replug(Self.other)
                },
                { scene in
                    #expect(scene.applied?.isMuted == true && scene.applied?.role == .right)
                    scene.driver?.perform(.setPaused(false))
                    #expect(scene.applied == Self.ofOther)
                    scene.replug(Self.former)
                },
                { scene in #expect(scene.applied == Self.ofFormer) },
            ])
    }

    // MARK: Limits

    /// Not before the first sound either, not by a command, and not with another device.
    @Test func nothingIsLouderThanTheLimit() throws {
        let memory = makeMemory()
        var capped = Self.ofFormer
        capped.volume = Volume(percent: 30)
        let expected = capped
        try listen(
            limit: VolumeLimit(highest: expected.volume), memory,
            steps: [
                { scene in
                    #expect(scene.applied == expected && scene.toldCount(expected) == 1)
                    scene.command(.volume(.level(100)))
                },
                // Its word is awaited.
                { scene in
                    #expect(scene.applied == expected && scene.toldCount(expected) > 1)
                    scene.command(.volume(.step(5)))
                    scene.driver?.perform(.setVolume(.full))
                    scene.driver?.perform(.changeVolume(by: 5))
                    scene.replug(Self.other)
                },
                { scene in
                    #expect(scene.driver?.loudspeakers?.role == .right)
                    #expect(scene.driver?.loudspeakers?.volume == expected.volume)
                    #expect(scene.loudest == expected.volume)
                },
            ])
        // What was commanded is remembered as the most that was allowed; what was not commanded stays.
        #expect(value(.volume("hw:1, Former"), memory) == 30)
        #expect(value(.volume("hw:1, Other"), memory) == 70)
    }

    @Test func quietHoursBeginAndEndByTheWallClock() throws {
        let memory = makeMemory()
        let night = try #require(QuietHours("22:00-07:00=20"))
        var soft = Self.ofFormer
        soft.volume = night.highest
        let expected = soft
        try listen(
            limit: VolumeLimit(quietHours: [night]), memory,
            steps: [
                { scene in
                    #expect(scene.applied == Self.ofFormer)
                    scene.minuteOfDay = night.start
                    scene.driver?.reviewLimit()
                },
                { scene in
                    #expect(scene.applied == expected && scene.wasTold(expected))
                    scene.command(.volume(.mute))
                    scene.command(.volume(.unmute))
                    scene.minuteOfDay = night.end
                    scene.driver?.reviewLimit()
                },
                { scene in #expect(scene.applied == Self.ofFormer && scene.toldCount(Self.ofFormer) == 2) },
            ])
        #expect(value(.volume("hw:1, Former"), memory) == 40)
    }

    /// Not a second later: the clock on the wall is looked at when there is a reason.
    @Test(arguments: [true, false]) func quietHoursThatBeganMeanwhileCountAtOnce(isAsleep: Bool) throws {
        let night = try #require(QuietHours("22:00-07:00=20"))
        try listen(
            limit: VolumeLimit(quietHours: [night]), makeMemory(),
            steps: [
                { scene in
                    scene.driver?.reviewLimit()
                    scene.minuteOfDay = night.start
                    if isAsleep {
                        scene.driver?.handle(.machineDidSleep(for: .seconds(60)))
                        #expect(scene.applied?.volume == night.highest)
                    } else {
                        scene.replug(Self.other)
                    }
                },
                { scene in
                    #expect(scene.applied?.volume == night.highest && scene.driver?.loudspeakers == scene.applied)
                },
            ])
    }

    /// A broadcaster states it.
    @Test func aSongsGainLiftsNothingUnderALimit() {
        var song = AudioStreamSummary()
        song.note(
            .dataFormat(
                .linearPCM(
                    sampleRate: 8_000, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: [])))
        song.note(.gain(16))
        let gains = [VolumeLimit.none, VolumeLimit(highest: Volume(percent: 30))].map { limit in
            TimelineQueueStream(Epoch(1), song, firstFrame: .zero, limit: limit)?.gain
        }
        #expect(gains == [16, 1])
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
