import AudioCore
import ClockSync
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// Accepting, welcoming and dropping connections.
extension BroadcastSession {
    mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        for id in connections.updateContact(contact, now: now) { refuseUnwanted(id, now) }
    }

    mutating func unlearn(_ key: PeerContact.Key, _ now: HostTime) {
        for id in connections.forgetContact(key) { refuseUnwanted(id, now) }
    }

    /// Refuses listeners whose names belong to others by now: of two that came under one new name, the second one.
    mutating func refuseContradicted(_ now: HostTime) {
        for link in connections.links {
            guard let greeting = link.connection.greeting, greeting.roles.contains(.listener), !isOwn(link),
                !connections.isAllowed(link.id)
            else { continue }
            notifyContradictions(by: link.id)
            refuseUnwanted(link.id, now)
        }
    }

    /// Refuses a listener that is none of those that the user named.
    private mutating func refuseUnwanted(_ id: ConnectionID, _ now: HostTime) {
        guard connections.isNamed(id) else {
            let names = configuration.allowedNames.joined(separator: ", ")
            return refuse(id, Refusal(.notAllowed, "this broadcast is for \(names)"), now)
        }
        actions.append(.watchPins)
        refuse(id, .anotherKey, pause: BroadcastLimits.anotherKeyPause, now)
    }

    /// Tells of a listener whose name belongs to another key.
    private mutating func notifyContradictions(by id: ConnectionID) {
        guard let link = connections[id], let key = link.connection.remoteKey else { return }
        for pin in connections.contradictedPins(id) {
            notifyOnce(.anotherKey(name: pin.name.text, key), from: link.connection.address)
        }
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
        case .taken: return send(WireEncoder.greeting(configuration.greeting), to: link, now)
        case .takenInstead(of: let other):
            notifyCrowded(by: address)
            close(other, now, pause: .zero)
            return send(WireEncoder.greeting(configuration.greeting), to: link, now)
        case .doubled: return actions.append(.close(id))
        case .crowded:
            notifyCrowded(by: address)
            return actions.append(.close(id))
        case .full:
            refusal = Refusal(
                .busy, "there are \(BroadcastLimits.connectionCount) connections, as many as there may be")
            notifyOnce(.connectionsFull(limit: BroadcastLimits.connectionCount), from: address)
        case .addressFull:
            let limit = PeeringLimits.connectionsPerAddress
            refusal = Refusal(.busy, "there are \(limit) connections from this address, as many as there may be")
            notifyOnce(.addressFull(address, limit: limit), from: address)
        }
        refusedCount += 1
        actions.append(.send(id, WireEncoder.greeting(configuration.greeting)))
        actions.append(.send(id, WireEncoder.refusal(refusal)))
        actions.append(.close(id))
    }

    /// Notes a connection closed for lack of room. The other side is told nothing, so that it tries again sooner.
    private mutating func notifyCrowded(by address: String) {
        refusedCount += 1
        notifyOnce(.crowded(limit: BroadcastLimits.candidateCount), from: address)
    }

    mutating func dialFailed(_ dial: Dialer.Dial, _ failure: DialFailure, _ now: HostTime) {
        connections.dialer.dialDidEnd(dial.id, failure: failure, now: now)
        let address = dial.address
        guard case .instance = dial.key else { return notifyOnce(.namedUnanswered(address), from: address.host) }
        notifyOnce(.unanswered(connections.dialer.contact(dial.key)?.name, address), from: address.host)
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
        case .command(let command):
            if connections[id]?.isStranger == false { perform(command, from: .connection(id), now) }
        case .follow: follow(id, now)
        case .unfollow: connections[id]?.unfollow()
        case .queuePageRequest(let request): sendPage(request, to: id, now)
        case .lookup(let lookup): lookUp(lookup, for: id, now)
        case .settings(let settings): note(settings, of: id, now)
        case .groupVolume: noteGroupVolume(of: id, now)
        case .songOffer(let offer): if connections[id]?.isStranger == false { take(offer, from: id, now) }
        case .songBytes(let bytes): take(bytes, from: id, now)
        case .household(let document): actions.append(.household(id, document))
        default: break
        }
    }

    /// Takes a report. The first one shows that the listener accepted us: a busy one refuses instead.
    private mutating func note(_ report: ListenerReport, of id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], link.isMember, let greeting = link.connection.greeting else { return }
        link.note(report, feedingPlan(now), now: now)
        if announced.insert(greeting.process).inserted {
            notify(.joined(greeting.name), from: link, now)
            for peer in connections.meetings(id) { actions.append(.met(peer)) }
        }
        if link.takeLateness() { notify(.followsLate(greeting.name, held: report.irrevocable), from: link, now) }
    }

    /// Answers a clock request that came over a listener's connection because UDP is blocked.
    private mutating func answerClock(_ datagram: [UInt8], of id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], let reply = link.answerClock(datagram, now: now) else { return }
        link.noteSent(WireEncoder.clockByteCount, now)
        actions.append(.sendClock(id, reply))
        guard link.clockReplyCount == BroadcastLimits.clockRequestsThreshold else { return }
        notifyOnce(.clockOverTCP(link.connection.name), from: link.connection.address)
    }

    /// Returns the number by which followers and observers are to know a process: no other member's.
    private func shownInstance(for process: PeerProcess) -> UInt64 {
        let members = connections.links.lazy.filter(\.isMember)
        if let own = members.first(where: { $0.process == process }) { return own.shownInstance }
        guard members.contains(where: { $0.shownInstance == process.instance }) else { return process.instance }
        let taken = Set(members.map(\.shownInstance))
        var instance = process.instance
        while taken.contains(instance) { instance &+= 1 }
        return instance
    }

    /// Takes a peer's greeting, and refuses a peer that has no business here.
    private mutating func greet(_ id: ConnectionID, _ greeting: Greeting, _ now: HostTime) {
        guard greeting.instance != configuration.greeting.instance else {
            refuse(id, Refusal(.duplicate, "that is this very process"), now)
            return
        }
        if let link = connections[id], let denial = denial(of: link.connection) {
            refuse(id, Refusal(denial), now)
            return
        }
        if let link = connections[id], link.connection.isBrowser, greeting.roles != .listener {
            refuse(id, Refusal(.wrongRole, "a browser listens, and is nothing else"), now)
            return
        }
        if greeting.roles == .observer {
            if let link = connections[id] { admitObserver(link, now) }
            return
        }
        if greeting.roles == .controller {
            if let link = connections[id] { admitController(link, now) }
            return
        }
        guard greeting.roles.contains(.listener) else {
            refuse(id, Refusal(.wrongRole, "both sides broadcast"), now)
            return
        }
        notifyContradictions(by: id)
        guard connections[id].map(isOwn) == true || connections.isAllowed(id) else {
            refuseUnwanted(id, now)
            return
        }
        switch connections.claim(id, now: now) {
        case .unopposed:
            connections.accept(id)
            // A listener that is not welcomed yet waits for the song.
            connections.admit(id)
        case .contested:
            connections.accept(id)
            settleContests(now)
        case .superfluous: refuse(id, .otherConnection, now)
        }
    }

    /// Closes the losing one of two connections to the same process.
    private mutating func settleContests(_ now: HostTime) {
        for id in connections.losers(now) { refuse(id, .otherConnection, now) }
    }

    /// Welcomes a listener that greeted, once the song's codec is known and the listener can decode it or is sent PCM.
    /// A broadcast that stays idle welcomes it before the first song.
    mutating func admit(_ link: ListenerLink, _ now: HostTime) {
        guard link.isStranger, let greeting = link.connection.greeting, connections[link.id] === link,
            !connections.isContested(link.id), song.isReady || configuration.staysIdle && phase == .idle
        else { return }
        if let codec = song.codec, !greeting.codecs.contains(codec) {
            if let obstacle = obstacleToPCM(for: greeting, codec) {
                refuse(link.id, Refusal(.cannotDecode, obstacle), now)
                return
            }
            notifyOnce(.sentPCM(greeting.name, codec), from: link.connection.address)
        }
        connections.admit(link.id)
        link.admit(shownAs: shownInstance(for: greeting.process), now: now)
        actions.append(.addKey(link.key))
        let welcome = Welcome(clockPort: configuration.clockPort, clockKey: link.key.bytes)
        send(WireEncoder.welcome(welcome), to: link, now)
        sendGroupVolume(to: link, now)
        tellNext(link, now)
    }

    /// Handles a peer's refusal.
    private mutating func refused(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard let link = connections[id] else { return }
        let (name, address) = (link.connection.name, link.connection.address)
        switch refusal.reason {
        case .duplicate: break
        case .busy: notifyOnce(.busy(name, refusal.text), from: address)
        case .leaving:
            notify(.left(name), from: link, now)
            noteDeparture(of: link, now)
        default: notifyOnce(.refusedBy(name, refusal.text), from: address)
        }
        let pause =
            switch refusal.reason {
            case .duplicate: TimeSpan.zero
            case .leaving, .busy: BroadcastLimits.busyPause
            default: BroadcastLimits.refusalPause
            }
        close(id, now, pause: pause)
    }

    /// Refuses a peer and closes its connection.
    mutating func refuse(
        _ id: ConnectionID, _ refusal: Refusal, pause: TimeSpan = BroadcastLimits.refusalPause, _ now: HostTime
    ) {
        guard let link = connections[id] else { return }
        // Both sides dialled, or a listener dialled again: it has the connection that it wants.
        if refusal.reason != .duplicate { refusedCount += 1 }
        send(WireEncoder.refusal(refusal), to: id, now)
        notifyOnce(.refused(link.connection.name, refusal), from: link.connection.address)
        close(id, now, pause: pause)
    }

    /// Refuses a peer that sent what makes no sense. One that left in the middle of something is dropped, and dialled
    /// again like any other; why is told if it had not greeted.
    mutating func broke(_ id: ConnectionID, _ error: ConnectionSecurityError, _ now: HostTime) {
        guard let link = connections[id] else { return }
        guard error.isEarlyEnd else { return refuse(id, Refusal(.protocolError, "\(error)"), now) }
        if link.connection.greeting == nil {
            let isNamed = if case .address? = link.contact { true } else { false }
            notifyOnce(
                .leftEarly(link.connection.name, reason: "\(error)", isNamed: isNamed), from: link.connection.address)
        }
        drop(id, nil, now)
    }

    /// Drops a connection that ended or must end. `silence` is nil if the other side closed it.
    mutating func drop(_ id: ConnectionID, _ silence: BroadcastNotice.Silence?, _ now: HostTime) {
        guard let link = connections[id] else { return }
        if link.report != nil { notify(.gone(link.connection.name, silence), from: link, now) }
        close(id, now, pause: .zero, isLost: link.isMember)
    }

    private mutating func close(_ id: ConnectionID, _ now: HostTime, pause: TimeSpan, isLost: Bool = false) {
        guard let link = connections.remove(id, pause: pause, isLost: isLost, now: now) else { return }
        if link.hasFinished(timeline.last.epoch) { noteDeparture(of: link, now) }
        if let process = link.connection.greeting?.process, !connections.isConnected(to: process) {
            announced.remove(process)
            // The own loudspeakers do not come back, so nobody waits for them.
            if isOwn(link) { configuration.ownListener = nil }
        }
        end(id, link)
    }

    /// Closes a connection that was removed from the table.
    private mutating func end(_ id: ConnectionID, _ link: ListenerLink) {
        abandonUpload(of: id)
        if link.isMember || link.isObserver { actions.append(.removeKey(link.key)) }
        actions.append(.close(id))
    }

    /// Drops connections that are silent or stalled, and sends keep-alives on the others.
    mutating func superviseConnections(_ now: HostTime) {
        if let span = connections.discountPause(now) {
            for link in connections.links { link.discount(span, now) }
        }
        settleContests(now)
        for link in connections.links {
            let liveness = link.connection.liveness
            if liveness.isSilent(now) {
                drop(link.id, .mute, now)
            } else if link.isStalled(now) {
                drop(link.id, .stalled, now)
            } else if liveness.isKeepAliveDue(now) {
                send(WireEncoder.keepAlive(), to: link, now)
            }
        }
    }

    mutating func send(_ bytes: ByteBuffer, to id: ConnectionID, _ now: HostTime) {
        if let link = connections[id] { send(bytes, to: link, now) }
    }

    mutating func send(_ bytes: ByteBuffer, to link: ListenerLink, _ now: HostTime) {
        send(.message(bytes), to: link, now)
    }

    mutating func send(_ piece: OutgoingPiece, to link: ListenerLink, _ now: HostTime) {
        link.noteSent(piece.byteCount, now)
        switch piece {
        case .message(let bytes): actions.append(.send(link.id, bytes))
        case .shared(let messages): actions.append(.sendShared(link.id, messages))
        }
    }
}
