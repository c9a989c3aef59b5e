import AudioCore
import ClockSync
import HostSystem
import Listening
import NIOCore
import Peering
import Playout
import SessionExecution
import WireProtocol

/// A listener's surroundings, played by the test.
final class ListeningMachine: ListenTransport, ListenOutlet, ListenEnvironment {
    var now = HostTime(nanoseconds: 9_000_000_000_000)
    var slept = TimeSpan.zero
    var playout = PlayoutSnapshot()
    /// What was asked for, in its order.
    var done: [String] = []
    /// What the timer was set to, in order.
    var timers: [TimeSpan] = []
    var outcomes: [ListenOutcome] = []
    /// What the clock told that was not taken.
    var untaken: ClockEstimate?
    /// Called within each send.
    var onSend: () -> Void = {}
    /// Called within each stop of the outlet.
    var onStop: () -> Void = {}

    var sleepReading: SleepReading {
        SleepReading(
            before: now.nanoseconds, boottime: (now + slept).nanoseconds, after: now.nanoseconds)
    }

    func startTimer(_ span: TimeSpan) { timers.append(span) }

    func listenerDidTell(_ notice: ListenNotice) {}

    func set(_ operation: ListenerOperation) {}

    func setGroupVolume(_ volume: VolumeSetting) {}

    func listenerDidHear(_ answer: ControlMessage) {}

    func listenerDidFinish(_ outcome: ListenOutcome) { outcomes.append(outcome) }

    // MARK: ListenTransport

    func dial(_ dial: Dialer.Dial) { done.append("dial \(dial.address)") }

    func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        done.append("send \(id.number)")
        onSend()
    }

    func close(_ id: ConnectionID) { done.append("close \(id.number)") }

    func abort(_ id: ConnectionID) { done.append("abort \(id.number)") }

    func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?) {}

    func stopClock() {}

    func takeEstimate() -> ClockEstimate? { untaken.take() }

    func restartClock() {
        done.append("restartClock")
        untaken = nil
    }

    func broadcasterDidChange() {}

    func lookUp(_ lookup: Lookup, for id: ConnectionID) {}
    func didReceive(household document: ByteBuffer, from id: ConnectionID) {}

    func didMeet(_ peer: MetPeer) {}

    func watchPins() {}

    // MARK: ListenOutlet

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {}

    func append(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {}

    func cut(at frame: FramePosition, epoch: Epoch) {}

    func resume(_ epoch: Epoch) {}

    func drop(_ epoch: Epoch) {}

    func enqueue(_ packets: [AudioPacketDescription], data: RawSpan, at position: FramePosition, epoch: Epoch) {}

    func reenter(at frame: FramePosition, epoch: Epoch) {}

    func finish(at end: FramePosition, epoch: Epoch) {}

    func setTimeline(_ timeline: HostTimeline) {}

    func hold(fade: TimeSpan) { done.append("hold") }

    func stop(fade: TimeSpan) {
        done.append("silence")
        onStop()
    }
}

extension ListenExecutor {
    /// A listener on this machine.
    convenience init(on machine: ListeningMachine, playingTick: TimeSpan = .milliseconds(200)) {
        let greeting = Greeting(
            roles: .listener, peer: UUIDBytes(high: 1, low: 1), instance: 100, started: 0, name: "Listener")
        self.init(
            configuration: ListenConfiguration(greeting: greeting), outlet: machine, playingTick: playingTick,
            now: machine.now)
        transport = machine
        environment = machine
    }

    /// A broadcaster calls, greets, is chosen and welcomes.
    func meetBroadcaster(_ id: Int, on machine: ListeningMachine) {
        handle(.opened(ConnectionID(id), .accepted, address: "10.0.0.\(id)", dial: nil))
        let greeting = Greeting(
            roles: .broadcaster, peer: UUIDBytes(high: 2, low: 2), instance: 2, started: 0, name: "Attic")
        handle(.received(ConnectionID(id), WireEncoder.greeting(greeting)))
        machine.now += .milliseconds(500)
        timerDidFire()
        let welcome = Welcome(clockPort: 1, clockKey: Array(repeating: 9, count: Welcome.clockKeyByteCount))
        handle(.received(ConnectionID(id), WireEncoder.welcome(welcome)))
    }

    /// PCM at 8,000 frames a second, which begins with frame 0.
    func beginSong(over id: Int) {
        let format = AudioStreamFormat.linearPCM(
            sampleRate: 8_000, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: [])
        handle(.received(ConnectionID(id), WireEncoder.stream(Epoch(1), properties: [.dataFormat(format)])))
        let mark = EntryMark(epoch: Epoch(1), frame: .zero, lostPacketCount: 0)
        handle(.received(ConnectionID(id), WireEncoder.entry(mark)))
    }

    /// A tenth of a second of it.
    func takeSong(at frame: Int64, over id: Int) {
        let description = AudioPacketDescription(startOffset: 0, byteCount: 1_600, frameCount: 800)
        let data = [UInt8](repeating: 1, count: description.byteCount)
        handle(
            .received(
                ConnectionID(id),
                WireEncoder.packets(
                    Epoch(1), at: FramePosition(frame), descriptions: [description], data: data.span.bytes)))
    }

    /// Nobody else welcomed it: that broadcaster is chosen.
    func choose(on machine: ListeningMachine) {
        machine.now += ListenLimits.choiceTime
        timerDidFire()
    }
}
