import AudioCore
import WireProtocol

/// The order of a broadcast's commands: numbers those that are done, knows those that come twice, and bounds how many
/// come from one asker.
///
/// For each command call ``admit(_:from:now:)``, and for a new one ``append(_:who:effect:text:)`` or ``refuse(_:_:)``
/// before the next is admitted. A command that comes twice gets the outcome of the first time; the newest
/// ``ProgrammeLimits/rememberedOutcomeCount`` outcomes are remembered. The newest ``ProgrammeLimits/logEntryCount``
/// entries are kept for those who missed some.
///
/// `Asker` says where a command comes from: a connection, for example. The rate of each asker is bounded, so that one
/// with ten thousand commands a second is refused nearly all of them, and the others none. What is refused for its rate
/// is neither remembered nor logged.
public struct CommandLog<Asker: Hashable & Sendable>: Sendable {
    public enum Admission: Hashable, Sendable {
        /// To be done or refused.
        case new
        /// It came before, and this was its outcome.
        case repeated(CommandOutcome)
        /// Too many came from this asker.
        case excess(CommandOutcome)
    }

    private var history = NumberedHistory<LogEntry>(capacity: ProgrammeLimits.logEntryCount)
    private var outcomes: [CommandID: CommandOutcome] = [:]
    /// The remembered ids, in the order in which they came.
    private var ids = NumberedHistory<CommandID>(capacity: ProgrammeLimits.rememberedOutcomeCount)
    /// Of each asker, when its next command would come at the rate that is allowed in the long run (the "theoretical
    /// arrival time" of the generic cell rate algorithm, ITU-T I.371 annex A). In the past: its whole burst is free.
    private var theoreticalArrivals: [Asker: HostTime] = [:]

    private static var interval: TimeSpan { .seconds(1) * (1 / Double(ProgrammeLimits.commandsPerSecond)) }
    private static var burst: TimeSpan { interval * Double(ProgrammeLimits.commandBurst - 1) }

    public init() {}

    /// Number of the newest entry; 0 before the first.
    public var lastNumber: UInt64 { history.lastNumber }
    /// When the newest entry takes effect, and so the earliest that the next one can; nil before the first.
    public var lastEffect: SessionTime? { history.last?.effect }

    /// Returns the entries after a number. Nil if some of them are forgotten, or none had that number.
    public func entries(after number: UInt64) -> [LogEntry]? { history.elements(after: number) }

    /// Says whether a command is to be done.
    /// - Parameter isBounded: false for an asker whose commands are not counted.
    public mutating func admit(
        _ command: Command, from asker: Asker, now: HostTime, isBounded: Bool = true
    ) -> Admission {
        guard !isBounded || conforms(asker, now) else {
            return .excess(Self.refusal(of: command, .tooManyCommands))
        }
        return outcomes[command.id].map { .repeated($0) } ?? .new
    }

    /// Enters a command that is done.
    /// - Parameters:
    ///   - who: name of the peer that asked.
    ///   - effect: when it takes effect. The log's order is that of its times: not before the entry ahead of it.
    ///   - text: what there is to say about it.
    public mutating func append(
        _ command: Command, who: String, effect: SessionTime, text: String = ""
    ) -> (entry: LogEntry, outcome: CommandOutcome) {
        let effect = history.last.map { max($0.effect, effect) } ?? effect
        let name = String(displaying: who, maximumByteCount: WireLimits.peerNameByteCount)
        let entry = history.append { number in
            LogEntry(
                number: number, id: command.id, who: name, effect: effect, command.operation.withoutCredentials)
        }
        let outcome = CommandOutcome(id: command.id, .done(number: entry.number, effect: effect), text: text)
        remember(outcome)
        return (entry, outcome)
    }

    /// Takes note that a command was refused.
    public mutating func refuse(_ command: Command, _ reason: CommandRefusal) -> CommandOutcome {
        let outcome = Self.refusal(of: command, reason)
        remember(outcome)
        return outcome
    }

    /// Returns the outcome of a command that is refused.
    public static func refusal(of command: Command, _ reason: CommandRefusal) -> CommandOutcome {
        CommandOutcome(id: command.id, .refused(reason), text: "\(reason)")
    }

    private mutating func remember(_ outcome: CommandOutcome) {
        if outcomes.updateValue(outcome, forKey: outcome.id) != nil { return }
        if outcomes.count > ProgrammeLimits.rememberedOutcomeCount,
            let oldest = ids.elements(after: ids.lastNumber - UInt64(ProgrammeLimits.rememberedOutcomeCount))?.first
        {
            outcomes[oldest] = nil
        }
        ids.append { _ in outcome.id }
    }

    /// Whether one more command of the asker conforms to the rate; if so, counts it.
    private mutating func conforms(_ asker: Asker, _ now: HostTime) -> Bool {
        if theoreticalArrivals[asker] == nil, theoreticalArrivals.count >= ProgrammeLimits.askerCount {
            theoreticalArrivals = theoreticalArrivals.filter { $0.value > now }
            guard theoreticalArrivals.count < ProgrammeLimits.askerCount else { return false }
        }
        let arrival = max(theoreticalArrivals[asker] ?? now, now)
        guard arrival - now <= Self.burst else { return false }
        theoreticalArrivals[asker] = arrival + Self.interval
        return true
    }
}
