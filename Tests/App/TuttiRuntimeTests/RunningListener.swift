import AudioCore
import HostSystem
import StreamTestKit
import TuttiRuntime
import WireProtocol

/// A real listener in this process: TCP on loopback, no mDNS, sound that goes nowhere.
final class RunningListener: Sendable {
    let port: UInt16
    private let listener: Listener
    private let thread: HostThread
    private let record: Monitor<Record>

    private struct Record {
        var notices: [RuntimeNotice] = []
        var states: [ListenerState] = []
        var outcome: Result<RuntimeOutcome, RuntimeFailure>?
    }

    init(name: String, configure: (inout JoinOptions) -> Void = { _ in }) throws {
        record = try Monitor(Record())
        port = freePort()
        var options = JoinOptions()
        options.name = name
        options.output = .null
        options.network.port = port
        options.network.usesDiscovery = false
        configure(&options)
        let listener = Listener(options: options, identity: .test(name))
        self.listener = listener
        let relay = Relay()
        thread = try HostThread(name: "listener") {
            let outcome: Result<RuntimeOutcome, RuntimeFailure>
            do throws(RuntimeFailure) {
                outcome = .success(try listener.run { relay.target?.note($0) })
            } catch {
                outcome = .failure(error)
            }
            relay.target?.record.change { $0.outcome = outcome }
        }
        relay.target = self
    }

    /// Stops it, and says how it ended.
    func stop() -> Result<RuntimeOutcome, RuntimeFailure>? {
        listener.stop()
        return end()
    }

    /// Waits until it ends by itself, and says how.
    func end() -> Result<RuntimeOutcome, RuntimeFailure>? {
        thread.join()
        return record.value.outcome
    }

    var notices: [RuntimeNotice] { record.value.notices }

    /// The states that it went through, each named once.
    var states: [ListenerState] { record.value.states }

    /// Waits for a notice, ten seconds at most.
    /// - Returns: whether it came.
    func waitForNotice(_ notice: RuntimeNotice) -> Bool {
        record.wait(atMost: .seconds(10)) { $0.notices.contains(notice) }
    }

    /// Waits for a state, twenty seconds at most.
    /// - Returns: whether it came.
    func waitForState(_ state: ListenerState) -> Bool {
        record.wait(atMost: .seconds(20)) { $0.states.contains(state) }
    }

    private func note(_ event: RuntimeEvent) {
        record.change { record in
            switch event {
            case .notice(let notice): record.notices.append(notice)
            case .listening(let status, _, _):
                if record.states.last != status.state { record.states.append(status.state) }
            case .broadcast, .playing: break
            }
        }
    }

    /// Holds the listener weakly; set before the first event can come, as the run takes a while to open its port.
    private final class Relay: @unchecked Sendable {
        weak var target: RunningListener?
    }
}

extension Identity {
    static func test(_ name: String) -> Identity { Identity(name: name) }
}

extension RuntimeNotice {
    /// That a clock cannot be known.
    var isOfClock: Bool {
        switch self {
        case .network(.noClockExchange), .listening(.clockUnanswered), .listening(.clockPath),
            .broadcast(.clockOverTCP):
            true
        default: false
        }
    }

    /// What a listener told a peer that broke the protocol; empty of all else.
    var protocolComplaint: String {
        if case .listening(.turnedAway(_, let reason, brokeProtocol: true)) = self { reason } else { "" }
    }

    /// What a song's source says; empty of all else.
    var textOfSource: String { if case .broadcast(.source(_, let text)) = self { text } else { "" } }
}
