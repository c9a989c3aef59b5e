import AudioCore
import Broadcasting
import ClockSync
import HostSystem
import NIOCore
import Peering
import Programmes
import SessionExecution
import WireProtocol

/// A broadcaster's surroundings, played by the test.
final class BroadcastingMachine: BroadcastEnvironment {
    /// Moves by a microsecond with each reading.
    var clock = HostTime(nanoseconds: 5_000_000_000_000)
    var slept = TimeSpan.zero
    /// What was asked for, in its order.
    var done: [String] = []
    var timers: [TimeSpan] = []
    var sent: [(id: Int, bytes: ByteBuffer, at: HostTime)] = []
    var sleeps: [TimeSpan] = []
    var outcomes: [BroadcastOutcome] = []
    /// Called within each send.
    var onSend: () -> Void = {}

    var now: HostTime {
        clock += .microseconds(1)
        return clock
    }

    var sleepReading: SleepReading {
        SleepReading(
            before: clock.nanoseconds, boottime: (clock + slept).nanoseconds, after: clock.nanoseconds)
    }

    func startTimer(_ span: TimeSpan) { timers.append(span) }

    func dial(_ dial: Dialer.Dial) { done.append("dial \(dial.address)") }

    func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        done.append("send \(id.number)")
        sent.append((id.number, bytes, clock))
        onSend()
    }

    func close(_ id: ConnectionID) { done.append("close \(id.number)") }

    func addKey(_ key: ClockKey) {}

    func removeKey(_ key: ClockKey) {}

    func openSource(_ request: SourceRequest) { done.append("open \(request.epoch.number)") }

    func readSource(_ epoch: Epoch) { done.append("read") }

    func closeSource(_ epoch: Epoch) {}

    func transcode(_ request: TranscodingRequest) {}

    func endTranscoding() {}

    func openSpool(_ offer: SongOffer) {}

    func writeSpool(_ bytes: SongBytes) {}

    func closeSpool(_ id: CommandID) {}

    func lookUp(_ lookup: Lookup, about item: ItemLocation?, for id: ConnectionID) {}

    func describe(_ item: ItemID, at location: ItemLocation) {}

    func didReceive(household document: ByteBuffer, from id: ConnectionID) {}

    func didMeet(_ peer: MetPeer) {}

    func watchPins() {}

    func broadcastDidChange() {}

    func broadcastDidTell(_ notice: BroadcastNotice) {}

    func answer(_ outcome: CommandOutcome, to asker: Asker) {}

    func machineDidSleep(for span: TimeSpan) { sleeps.append(span) }

    func broadcastDidFinish(_ outcome: BroadcastOutcome) { outcomes.append(outcome) }
}

extension BroadcastExecutor {
    /// A broadcaster on this machine.
    convenience init(on machine: BroadcastingMachine) {
        let greeting = Greeting(
            roles: .broadcaster, peer: UUIDBytes(high: 1, low: 1), instance: 100, started: 0, name: "Attic")
        var configuration = BroadcastConfiguration(greeting: greeting, clockPort: 28_884)
        _ = try? configuration.programme.insert([NewItem(.local("/song.wav"), title: "Song")], at: 0)
        _ = try? configuration.programme.apply(.play)
        self.init(configuration: configuration)
        environment = machine
    }
}
