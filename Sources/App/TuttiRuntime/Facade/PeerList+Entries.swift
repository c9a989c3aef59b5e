import Controlling
import Discovery
import Peering
import WireProtocol

// Only broadcasts are asked. A listener takes no questions, and the broadcast that feeds it knows what it does.

extension PeerList {
    /// Returns what is known of each peer.
    static func entries(
        of peers: [DiscoveredPeer], _ survey: Survey, _ known: KnownPeers
    ) -> [PeerEntry] {
        let answers = survey.answers
        let states = peers.compactMap { answers[PeerContact($0).key]?.state }
        let listeners = listenerStatuses(states)
        let isComplete = states.count == answers.count && states.allSatisfy(\.namesAllListeners)
        let processes = Set(peers.map { PeerProcess(peer: $0.record.id, instance: $0.record.instance) })
        let claims = Dictionary(grouping: processes, by: \.instance)
        return peers.map { peer in
            let status =
                if peer.record.roles.contains(.broadcaster) {
                    PeerStatus(answers[PeerContact(peer).key] ?? .silent)
                } else if claims[peer.record.instance, default: []].count > 1 {
                    // A broadcast names its listeners by this number alone: it may mean either.
                    PeerStatus(activity: .unknown)
                } else {
                    listeners[peer.record.instance] ?? PeerStatus(activity: isComplete ? .idle : .unknown)
                }
            let relation =
                survey.keys[PeerContact(peer).key].map(known.relation(of:))
                ?? known.relation(ofClaimed: peer.record.id)
            return PeerEntry(peer, status, relation)
        }
    }

    /// Returns what listeners do, by instance. If several broadcasts name one, the first that it plays counts.
    private static func listenerStatuses(_ states: [ProgrammeState]) -> [UInt64: PeerStatus] {
        var statuses: [UInt64: PeerStatus] = [:]
        for state in states {
            for listener in state.listeners where statuses[listener.instance]?.activity != .playing {
                let status = PeerStatus(listener.state, of: state)
                if statuses[listener.instance] == nil || status.activity == .playing {
                    statuses[listener.instance] = status
                }
            }
        }
        return statuses
    }
}

/// What a peer does, and its song.
private struct PeerStatus {
    var activity: PeerActivity
    var playing: String?
}

extension PeerStatus {
    /// What a broadcaster does.
    init(_ answer: SurveyAnswer) {
        switch answer {
        case .state(let state): self.init(activity: state.status.activity, playing: state.status.title)
        case .refused: self.init(activity: .refused)
        case .silent: self.init(activity: .unanswered)
        }
    }

    /// What a listener does that follows this programme.
    init(_ listener: ListenerState, of state: ProgrammeState) {
        switch listener {
        case .playing: activity = .playing
        case .paused: activity = .paused
        case .connecting, .preparing, .ready, .starving: activity = .waiting
        case .finished: activity = .idle
        }
        playing = activity == .idle ? nil : state.status.title
    }
}

extension SurveyAnswer {
    fileprivate var state: ProgrammeState? { if case .state(let state) = self { state } else { nil } }
}

extension ProgrammeState {
    /// Whether there is none beyond those that a message holds.
    fileprivate var namesAllListeners: Bool { listeners.count < WireLimits.listenerSettingsCount }
}

extension TransportStatus {
    fileprivate var activity: PeerActivity {
        switch transport {
        case .idle: .idle
        case .playing: position == nil ? .waiting : .playing
        case .paused: .paused
        case .stopped: .stopped
        }
    }

    /// The title of the current song; nil for none.
    fileprivate var title: String? {
        guard transport != .idle, let current, !current.title.isEmpty else { return nil }
        return current.title
    }
}

extension PeerEntry {
    fileprivate init(_ peer: DiscoveredPeer, _ status: PeerStatus, _ relation: PeerRelation) {
        self.init(
            name: peer.serviceName, roles: peer.record.roles, activity: status.activity, playing: status.playing,
            addresses: peer.addresses.map { NetworkAddress(host: $0.description, port: peer.port) },
            hostName: peer.hostName, protocolVersion: peer.record.protocolVersion, peer: peer.record.id,
            instance: peer.record.instance, relation: relation)
    }
}
