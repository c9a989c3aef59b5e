import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// Who is connected, and who may be.
extension BroadcastSession {
    mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        if case .instance(let instance) = contact.key {
            guard instance != configuration.greeting.instance, contact.roles.contains(.listener),
                configuration.allowedNames.isEmpty || contact.answers(to: configuration.allowedNames)
            else { return }
        }
        dialer.update(contact, now: now)
        if links.values.contains(where: { $0.isMember && $0.isReached(by: contact.key) }) {
            dialer.connected(contact.key)
        }
    }

    /// By the name in its greeting, or by the one that mDNS knows: of the latter only allowed ones are kept.
    private func isAllowed(_ greeting: Greeting) -> Bool {
        configuration.allowedNames.isEmpty || configuration.allowedNames.contains(greeting.name)
            || dialer.contact(.instance(greeting.instance)) != nil
    }

    mutating func opened(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?, key: ClockKey,
        _ now: HostTime
    ) {
        // Of two addresses of one contact that connect in the same moment, the first goes on.
        let isFirst = dial.map { dial in !links.values.contains { $0.contact == dial.key } } ?? true
        let isTaken = isFirst && links.count < BroadcastLimits.connectionCount
        if let dial { dialer.dialEnded(dial.id, connected: isTaken || !isFirst, now: now) }
        guard isTaken else {
            actions.append(.close(id))
            return
        }
        links[id] = ListenerLink(
            connection: PeerConnection(direction: direction, address: address, now: now), contact: dial?.key,
            key: key, lastProgress: now)
        order.append(id)
        send(WireEncoder.opening(configuration.greeting), to: id, now)
    }

    mutating func dialFailed(_ dial: Dialer.Dial, _ now: HostTime) {
        dialer.dialEnded(dial.id, connected: false, now: now)
        let name = dialer.contact(dial.key)?.name ?? "a listener"
        guard case .instance = dial.key else {
            sayOnce(.warning, "no listener answers at \(dial.address); trying again until one does")
            return
        }
        sayOnce(.detail, "\(name): no answer at \(dial.address), trying again")
    }

    mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        guard var link = links[id] else { return }
        do throws(WireError) {
            let events = try link.connection.receive(bytes, now: now)
            links[id] = link
            for event in events where links[id] != nil {
                if case .message(let message) = event { receive(id, message, now) }
            }
        } catch {
            refuse(id, Refusal(.protocolError, "\(error)"), now)
        }
    }

    private mutating func receive(_ id: ConnectionID, _ message: ControlMessage, _ now: HostTime) {
        switch message {
        case .greeting(let greeting): greet(id, greeting, now)
        case .report(let report): note(report, of: id)
        case .refusal(let refusal): refused(id, refusal, now)
        default: break
        }
    }

    /// The first report shows that the listener took us: one that is busy says so instead.
    private mutating func note(_ report: ListenerReport, of id: ConnectionID) {
        guard let greeting = links[id]?.connection.greeting, links[id]?.isMember == true else { return }
        links[id]?.report = report
        if announced.insert(greeting.instance).inserted {
            actions.append(.notice(.info, "\(greeting.name) joined"))
        }
    }

    /// A peer said who it is: welcome it, or say why not.
    private mutating func greet(_ id: ConnectionID, _ greeting: Greeting, _ now: HostTime) {
        guard greeting.instance != configuration.greeting.instance else {
            refuse(id, Refusal(.duplicate, "that is this very process"), now)
            return
        }
        guard greeting.roles.contains(.listener) else {
            refuse(id, Refusal(.wrongRole, "both sides broadcast"), now)
            return
        }
        guard isAllowed(greeting) else {
            refuse(
                id, Refusal(.notAllowed, "this broadcast is for \(configuration.allowedNames.joined(separator: ", "))"),
                now)
            return
        }
        guard settleCrossing(id, greeting, now) else { return }
        admit(id, greeting, now)
    }

    /// Of two connections with one process, one survives. Returns whether it is the new one.
    private mutating func settleCrossing(_ id: ConnectionID, _ greeting: Greeting, _ now: HostTime) -> Bool {
        let other = order.first { $0 != id && links[$0]?.connection.greeting?.instance == greeting.instance }
        guard let other, let older = links[other], let newer = links[id] else { return true }
        let newerSurvives = PeerConnection.newerSurvives(
            newer: newer.connection.direction, older: older.connection.direction,
            own: configuration.greeting.instance, other: greeting.instance)
        // Its contact stays connected through the survivor: only the connection ends.
        let (loser, survivor) = newerSurvives ? (other, id) : (id, other)
        if let contact = links[loser]?.contact, case .address = contact { links[survivor]?.contact = contact }
        send(WireEncoder.refusal(Refusal(.duplicate, "another connection goes on")), to: loser, now)
        forget(loser)
        actions.append(.close(loser))
        return newerSurvives
    }

    private mutating func admit(_ id: ConnectionID, _ greeting: Greeting, _ now: HostTime) {
        guard var link = links[id] else { return }
        let key = link.contact ?? .instance(greeting.instance)
        link.contact = key
        link.isMember = true
        link.cursor = log.startIndex
        links[id] = link
        dialer.connected(key)
        dialer.connected(.instance(greeting.instance))
        dialer.proved(key)
        actions.append(.addKey(link.key))
        let welcome = Welcome(clockPort: configuration.clockPort, clockKey: link.key.bytes)
        send(WireEncoder.welcome(welcome), to: id, now)
    }

    /// The other side said no.
    private mutating func refused(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard let link = links[id] else { return }
        let name = link.connection.name
        switch refusal.reason {
        case .duplicate:
            let instance = link.connection.greeting?.instance
            let hasOther = links.contains { $0.key != id && $0.value.connection.greeting?.instance == instance }
            if !hasOther { break }
            forget(id)
            actions.append(.close(id))
            return
        case .busy: sayOnce(.info, "\(name) is busy: \(refusal.text)")
        case .leaving: actions.append(.notice(.info, "\(name) left"))
        default: sayOnce(.warning, "\(name) refuses: \(refusal.text)")
        }
        close(id, now, pause: refusal.reason == .leaving ? .seconds(1) : BroadcastLimits.busyPause)
    }

    /// Says no, and closes.
    mutating func refuse(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard let link = links[id] else { return }
        send(WireEncoder.refusal(refusal), to: id, now)
        let level: NoticeLevel = refusal.reason == .protocolError ? .warning : .detail
        sayOnce(level, "refused \(link.connection.name): \(refusal.text)")
        close(id, now, pause: BroadcastLimits.busyPause)
    }

    /// A connection ended, or must end. `reason` nil: the other side closed it.
    mutating func drop(_ id: ConnectionID, because reason: String?, _ now: HostTime) {
        guard let link = links[id] else { return }
        if link.report != nil {
            actions.append(.notice(.info, "\(link.connection.name) is gone\(reason.map { " (\($0))" } ?? "")"))
        }
        close(id, now, pause: .zero)
    }

    private mutating func close(_ id: ConnectionID, _ now: HostTime, pause: TimeSpan) {
        guard let link = links[id] else { return }
        forget(id)
        actions.append(.close(id))
        if let key = link.contact { dialer.disconnected(key, after: pause, now: now) }
        if let instance = link.connection.greeting?.instance {
            announced.remove(instance)
            dialer.disconnected(.instance(instance), after: pause, now: now)
        }
    }

    private mutating func forget(_ id: ConnectionID) {
        guard let link = links.removeValue(forKey: id) else { return }
        order.removeAll { $0 == id }
        if link.isMember { actions.append(.removeKey(link.key)) }
    }

    /// Ends what is silent or stalled, and keeps alive what is not.
    mutating func superviseConnections(_ now: HostTime) {
        for id in order {
            guard var link = links[id] else { continue }
            if link.connection.isSilent(now) {
                drop(id, because: "nothing heard from it", now)
            } else if link.bytesInFlight > 0, now - link.lastProgress > BroadcastLimits.stalledTime {
                drop(id, because: "it stopped reading", now)
            } else if link.connection.needsKeepAlive(now) {
                links[id] = link
                send(WireEncoder.keepAlive(), to: id, now)
            }
        }
    }

    /// Says a line that would come again with every try only the first time.
    private mutating func sayOnce(_ level: NoticeLevel, _ text: String) {
        guard said.count < BroadcastLimits.saidCount, said.insert(text).inserted else { return }
        actions.append(.notice(level, text))
    }

    mutating func send(_ bytes: ByteBuffer, to id: ConnectionID, _ now: HostTime) {
        guard var link = links[id] else { return }
        if link.bytesInFlight == 0 { link.lastProgress = now }
        link.bytesInFlight += bytes.readableBytes
        link.connection.said(now)
        links[id] = link
        actions.append(.send(id, bytes))
    }
}
