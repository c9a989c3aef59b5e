import AudioCore
import WireProtocol

/// Commands of all pages whose outcomes are waited for.
final class PendingCommands {
    typealias Answer = (Result<CommandOutcome, DeskFailure>) -> Void

    private struct Pending {
        let deadline: HostTime
        let answer: Answer
    }

    /// Commands that are under way at once, of all pages.
    static let limit = 128
    /// A song that has to be opened before it is queued may take long.
    static let patience = TimeSpan.seconds(30)

    private var pending: [CommandID: Pending] = [:]

    /// Takes a command that is about to be sent.
    /// - Returns: whether there is room for it.
    func add(_ command: Command, _ now: HostTime, _ answer: @escaping Answer) -> Bool {
        guard pending.count < Self.limit else { return false }
        pending[command.id] = Pending(deadline: now + Self.patience, answer: answer)
        return true
    }

    func take(_ outcome: CommandOutcome) { pending.removeValue(forKey: outcome.id)?.answer(.success(outcome)) }

    /// Gives up those that are late.
    func expire(_ now: HostTime) {
        let late = pending.filter { now >= $0.value.deadline }
        for (id, command) in late {
            pending[id] = nil
            command.answer(.failure(.noAnswer))
        }
    }

    /// Gives all of them up.
    func fail(_ failure: DeskFailure) {
        let all = pending
        pending = [:]
        for command in all.values { command.answer(.failure(failure)) }
    }
}
