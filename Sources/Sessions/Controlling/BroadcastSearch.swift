import AudioCore
import Peering
import WireProtocol

/// A controller's search for one broadcast of the network: whom mDNS finds, whom of them to ask, and which one it is.
///
///     collecting ──the choice is due, or the name was found──▶ asking
///
/// In open mode a controller asks whom it will take: the first of the wanted name, or the only one. In a household it
/// asks all that may be meant, because a name proves nothing: the broadcasts of strangers are not in the way of a
/// member's.
///
/// While mDNS names no broadcast so, the host of that name is asked as well, if there can be one. A broadcast of
/// another name there is taken only once mDNS has had its time.
struct BroadcastSearch {
    enum Answer {
        /// It greeted, and may be taken.
        case broadcast(ConnectionID, PeerProcess, name: String)
        case refusal(ControlEnding)
    }

    enum Verdict {
        case take(ConnectionID)
        /// Nothing was found that could be meant.
        case nothing
        case fail(ControlEnding)
    }

    private enum Stage {
        /// `choice`: nil until something was found.
        case collecting(since: HostTime, choice: HostTime?)
        case asking(since: HostTime)
    }

    /// The host of the wanted name.
    private enum Host {
        /// There is none, or nobody answers there.
        case absent
        case unasked(PeerContact)
        case asked(PeerContact.Key)
    }

    /// Nil for the only one there is.
    private let name: String?
    private let isInHousehold: Bool
    private var stage: Stage
    private var found: [PeerContact] = []
    /// In the order in which they were asked.
    private(set) var asked: [PeerContact.Key] = []
    private var answers: [PeerContact.Key: Answer] = [:]
    private var host: Host
    /// Why there is no mDNS; nil while there is.
    private(set) var obstacle: String?

    init(for target: ControlTarget, isInHousehold: Bool, now: HostTime) {
        name = if case .named(let name) = target { name } else { nil }
        host = target.hostOfName.map { Host.unasked(PeerContact(address: $0)) } ?? Host.absent
        self.isInHousehold = isInHousehold
        stage = .collecting(since: now, choice: nil)
    }

    /// Of all that were found.
    var names: [String] { found.map(\.name) }

    /// All to whom connections are or were tried.
    var dialed: [PeerContact.Key] { if case .asked(let key) = host { asked + [key] } else { asked } }

    /// Takes note that mDNS finds nothing, for this reason.
    mutating func note(obstacle: String) { self.obstacle = obstacle }

    /// Takes note that nobody answers a call.
    /// - Returns: whether to call no more there.
    mutating func noteUnanswered(_ key: PeerContact.Key) -> Bool {
        guard case .asked(key) = host else { return false }
        host = .absent
        return true
    }

    /// Takes a broadcast that mDNS found, or a change of it.
    mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        found.removeAll { $0.key == contact.key }
        guard found.count < ControlLimits.foundCount else { return }
        found.append(contact)
        guard case .collecting(let since, let choice) = stage else { return }
        if let name {
            if contact.name == name { stage = .asking(since: now) }
        } else {
            stage = .collecting(since: since, choice: choice ?? now + ControlLimits.choiceTime)
        }
    }

    /// Returns those to connect to now; each only once.
    mutating func takeDue(_ now: HostTime) -> [PeerContact] {
        if case .collecting(_, let choice?) = stage, now >= choice, isInHousehold || found.count == 1 {
            stage = .asking(since: now)
        }
        guard case .asking = stage else { return takeHostDue(now) }
        var due = found.filter { (name == nil || $0.name == name) && !asked.contains($0.key) }
        if !isInHousehold { due = asked.isEmpty ? Array(due.prefix(1)) : [] }
        asked += due.map(\.key)
        return due
    }

    private mutating func takeHostDue(_ now: HostTime) -> [PeerContact] {
        guard case .collecting(let since, _) = stage, case .unasked(let contact) = host,
            obstacle != nil || now - since >= ControlLimits.hostTime
        else { return [] }
        host = .asked(contact.key)
        return [contact]
    }

    /// Takes what one of those that were asked says.
    mutating func note(_ answer: Answer, from key: PeerContact.Key) { answers[key] = answer }

    /// Takes note that a connection is gone, which may have been opened for a broadcast.
    mutating func noteClosed(_ id: ConnectionID) {
        answers = answers.filter { if case .broadcast(id, _, _) = $0.value { false } else { true } }
    }

    /// Returns what comes of it; nil while that is open.
    func verdict(_ now: HostTime) -> Verdict? {
        switch stage {
        case .collecting(let since, let choice):
            if let choice, now >= choice { return .fail(.ambiguous(names.sorted())) }
            return verdict(now, collectingSince: since)
        case .asking(let since): return verdict(now, askingSince: since)
        }
    }

    private func verdict(_ now: HostTime, collectingSince since: HostTime) -> Verdict? {
        let isLate = now - since > ControlLimits.patience
        guard case .asked(let key) = host, let answer = answers[key] else {
            if case .absent = host, obstacle != nil { return .nothing }
            return isLate ? .nothing : nil
        }
        switch answer {
        case .broadcast(let id, _, let name):
            let isMeant = name == self.name || obstacle != nil || now - since >= ControlLimits.nameTime
            return isMeant ? .take(id) : nil
        case .refusal(let ending): return isLate || obstacle != nil ? .fail(ending) : nil
        }
    }

    private func verdict(_ now: HostTime, askingSince since: HostTime) -> Verdict? {
        let said = asked.compactMap { answers[$0] }
        let isComplete = said.count == asked.count
        var broadcasts: [(id: ConnectionID, process: PeerProcess, name: String)] = []
        for case .broadcast(let id, let process, let name) in said
        where !broadcasts.contains(where: { $0.process == process }) {
            broadcasts.append((id, process, name))
        }
        if let first = broadcasts.first {
            if name != nil || isComplete && broadcasts.count == 1 { return .take(first.id) }
            guard isComplete || now - since >= ControlLimits.answerPatience else { return nil }
            return broadcasts.count == 1 ? .take(first.id) : .fail(.ambiguous(broadcasts.map(\.name).sorted()))
        }
        // Another one of that name may be found yet.
        let isLast = name == nil || !isInHousehold || now - since >= ControlLimits.choiceTime
        guard isComplete && isLast || now - since > ControlLimits.patience else { return nil }
        return .fail(Self.reason(said) ?? .noAnswer)
    }

    /// Returns why none of them is taken: all strangers at once, or whatever else the first one says.
    private static func reason(_ answers: [Answer]) -> ControlEnding? {
        var strangers: [String] = []
        for case .refusal(let ending) in answers {
            guard case .notOfHousehold(let names) = ending else { return ending }
            strangers += names
        }
        return strangers.isEmpty ? nil : .notOfHousehold(strangers.sorted())
    }
}
