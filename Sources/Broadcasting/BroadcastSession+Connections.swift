import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// Who is connected, and who may be.
extension BroadcastSession {
    mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        for id in connections.learn(contact, now: now) { refuse(id, notAllowed, now) }
    }

    private var notAllowed: Refusal {
        Refusal(.notAllowed, "this broadcast is for \(configuration.allowedNames.joined(separator: ", "))")
    }

    mutating func opened(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?, key: ClockKey,
        _ now: HostTime
    ) {
        let connection = PeerConnection(
            direction: direction, address: address, messageByteCount: BroadcastLimits.messageByteCount, now: now)
        let link = ListenerLink(id, connection: connection, key: key, now: now)
        let refusal: Refusal
        switch connections.add(id, link, dial: dial, now: now) {
        case .taken: return send(WireEncoder.opening(configuration.greeting), to: link, now)
        case .doubled: return actions.append(.close(id))
        case .full:
            refusal = Refusal(
                .busy, "there are \(BroadcastLimits.connectionCount) connections, as many as there may be")
            sayOnce(.warning, "more than \(BroadcastLimits.connectionCount) connections: the others are refused")
        case .addressFull:
            let limit = PeeringLimits.connectionsPerAddress
            refusal = Refusal(.busy, "there are \(limit) connections from this address, as many as there may be")
            sayOnce(.warning, "more than \(limit) connections from \(address): the others are refused")
        }
        refusedCount += 1
        actions.append(.send(id, WireEncoder.opening(configuration.greeting)))
        actions.append(.send(id, WireEncoder.refusal(refusal)))
        actions.append(.close(id))
    }

    mutating func dialFailed(_ dial: Dialer.Dial, _ failure: DialFailure, _ now: HostTime) {
        connections.dialer.dialEnded(dial.id, failure: failure, now: now)
        let name = connections.dialer.contact(dial.key)?.name ?? "a listener"
        guard case .instance = dial.key else {
            sayOnce(.warning, "no listener answers at \(dial.address); trying again until one does")
            return
        }
        sayOnce(.detail, "\(name): no answer at \(dial.address), trying again")
    }

    mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            let events = try connections.receive(id, bytes, now: now)
            for event in events where connections[id] != nil {
                if case .message(let message) = event { receive(id, message, now) }
            }
        } catch {
            refuse(id, Refusal(.protocolError, "\(error)"), now)
        }
    }

    private mutating func receive(_ id: ConnectionID, _ message: ControlMessage, _ now: HostTime) {
        switch message {
        case .greeting(let greeting): greet(id, greeting, now)
        case .report(let report): note(report, of: id, now)
        case .refusal(let refusal): refused(id, refusal, now)
        case .clock(let datagram): answerClock(datagram, of: id, now)
        default: break
        }
    }

    /// The first report shows that the listener took us: one that is busy says so instead.
    private mutating func note(_ report: ListenerReport, of id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], link.isMember, let greeting = link.connection.greeting else { return }
        if link.report == nil { passOver(report, of: link, now) }
        link.note(report, in: log.epoch, now)
        if announced.insert(greeting.instance).inserted {
            actions.append(.notice(.info, "\(greeting.name) joined"))
        }
    }

    /// A peer said who it is: say so if it has no business here.
    private mutating func greet(_ id: ConnectionID, _ greeting: Greeting, _ now: HostTime) {
        guard greeting.instance != configuration.greeting.instance else {
            refuse(id, Refusal(.duplicate, "that is this very process"), now)
            return
        }
        if greeting.roles == .observer {
            admitObserver(id, now)
            return
        }
        guard greeting.roles.contains(.listener) else {
            refuse(id, Refusal(.wrongRole, "both sides broadcast"), now)
            return
        }
        guard greeting.instance == configuration.ownListener || connections.allowed.includes(greeting) else {
            refuse(id, notAllowed, now)
            return
        }
        switch connections.claim(id, now: now) {
        case .unopposed: connections.accept(id)
        case .contested:
            connections.accept(id)
            settleContests(now)
        case .superfluous: refuse(id, .otherConnection, now)
        }
    }

    /// Of two connections with one process, ends the one that lost.
    private mutating func settleContests(_ now: HostTime) {
        for id in connections.losers(now) { refuse(id, .otherConnection, now) }
    }

    /// Welcomes a listener that greeted, as soon as the song's codec is known and if it is one that it decodes, or that
    /// is decoded for it.
    mutating func admit(_ link: ListenerLink, _ now: HostTime) {
        guard !link.isMember, !link.isObserver, summary.isReady, let codec = summary.format?.codec,
            let greeting = link.connection.greeting, connections[link.id] === link,
            !connections.isContested(link.id)
        else { return }
        let isSentPCM = !greeting.codecs.contains(codec)
        if isSentPCM {
            if let obstacle = obstacleToPCM(for: greeting, codec) {
                refuse(link.id, Refusal(.cannotDecode, obstacle), now)
                return
            }
            sayOnce(.info, "\(greeting.name) cannot decode \(codec.commonName): it is sent PCM")
        }
        link.isMember = true
        link.isSentPCM = isSentPCM
        link.cursor = log.startIndex
        link.clock.register(link.key)
        actions.append(.addKey(link.key))
        let welcome = Welcome(clockPort: configuration.clockPort, clockKey: link.key.bytes)
        send(WireEncoder.welcome(welcome), to: link, now)
    }

    /// The other side said no.
    private mutating func refused(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard let link = connections[id] else { return }
        let name = link.connection.name
        switch refusal.reason {
        case .duplicate: break
        case .busy: sayOnce(.info, "\(name) is busy: \(refusal.text)")
        case .leaving:
            actions.append(.notice(.info, "\(name) left"))
            noteDeparture(of: link, now)
        default: sayOnce(.warning, "\(name) refuses: \(refusal.text)")
        }
        let pause =
            switch refusal.reason {
            case .duplicate: TimeSpan.zero
            case .leaving, .busy: BroadcastLimits.busyPause
            default: BroadcastLimits.refusalPause
            }
        close(id, now, pause: pause)
    }

    /// Says no, and closes.
    mutating func refuse(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard let link = connections[id] else { return }
        refusedCount += 1
        send(WireEncoder.refusal(refusal), to: id, now)
        let isOfInterest = refusal.reason == .protocolError || refusal.reason == .cannotDecode
        let level: NoticeLevel = isOfInterest ? .warning : .detail
        sayOnce(level, "refused \(link.connection.name): \(refusal.text)")
        close(id, now, pause: BroadcastLimits.refusalPause)
    }

    /// A connection ended, or must end. `reason` nil: the other side closed it.
    mutating func drop(_ id: ConnectionID, because reason: String?, _ now: HostTime) {
        guard let link = connections[id] else { return }
        if link.report != nil {
            actions.append(.notice(.info, "\(link.connection.name) is gone\(reason.map { " (\($0))" } ?? "")"))
        }
        close(id, now, pause: .zero, isMissed: link.isMember)
    }

    private mutating func close(_ id: ConnectionID, _ now: HostTime, pause: TimeSpan, isMissed: Bool = false) {
        guard let link = connections.remove(id, pause: pause, isMissed: isMissed, now: now) else { return }
        if link.hasFinished(log.epoch) { noteDeparture(of: link, now) }
        if let instance = link.connection.greeting?.instance, !connections.holds(instance) {
            announced.remove(instance)
            // The own loudspeakers do not come back: nobody waits for them.
            if instance == configuration.ownListener { configuration.ownListener = nil }
        }
        end(id, link)
    }

    /// Closes what the table no longer holds.
    private mutating func end(_ id: ConnectionID, _ link: ListenerLink) {
        if link.isMember { actions.append(.removeKey(link.key)) }
        actions.append(.close(id))
    }

    /// Ends what is silent or stalled, and keeps alive what is not.
    mutating func superviseConnections(_ now: HostTime) {
        if let span = connections.look(now) {
            for link in connections.links { link.lastProgress = min(now, link.lastProgress + span) }
        }
        settleContests(now)
        for link in connections.links {
            let liveness = link.connection.liveness
            if liveness.isSilent(now) {
                drop(link.id, because: "nothing heard from it", now)
            } else if link.isStalled(now) {
                drop(link.id, because: "it stopped reading", now)
            } else if liveness.isKeepAliveDue(now) {
                send(WireEncoder.keepAlive(), to: link, now)
            }
        }
    }

    /// Says a line that would come again with every try only the first time.
    mutating func sayOnce(_ level: NoticeLevel, _ text: String) {
        if said.isNew(text) { actions.append(.notice(level, text)) }
    }

    mutating func send(_ bytes: ByteBuffer, to id: ConnectionID, _ now: HostTime) {
        if let link = connections[id] { send(bytes, to: link, now) }
    }

    mutating func send(_ bytes: ByteBuffer, to link: ListenerLink, _ now: HostTime) {
        link.noteSent(bytes.readableBytes, now)
        actions.append(.send(link.id, bytes))
    }

    /// The socket took this many bytes.
    func wrote(_ id: ConnectionID, byteCount: Int, _ now: HostTime) {
        guard let link = connections[id] else { return }
        link.bytesInFlight -= byteCount
        link.lastProgress = now
    }
}

extension ListenerLink {
    func noteSent(_ byteCount: Int, _ now: HostTime) {
        if bytesInFlight == 0 { lastProgress = now }
        bytesInFlight += byteCount
        connection.said(now)
    }
}
