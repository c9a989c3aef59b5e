import AudioCore

@testable import ClockSync

/// The responder by reference: expectations cannot call what mutates.
final class ResponderBox {
    private(set) var value = ClockResponder()

    var statistics: ClockResponder.Statistics { value.statistics }

    @discardableResult
    func register(_ key: ClockKey) -> Bool { value.register(key) }

    func unregister(keyIdentifier: UInt64) { value.unregister(keyIdentifier: keyIdentifier) }

    @discardableResult
    func receive(_ bytes: [UInt8], at receive: SessionTime) -> ClockResponder.Reply? {
        value.receive(bytes, at: receive)
    }

    func didSend(keyIdentifier: UInt64, sequence: UInt32, at transmit: SessionTime) {
        value.didSend(keyIdentifier: keyIdentifier, sequence: sequence, at: transmit)
    }
}

/// The client by reference.
final class ClientBox {
    private(set) var value: ClockClient

    init(_ value: ClockClient) { self.value = value }

    var statistics: ClockClient.Statistics { value.statistics }
    var estimate: ClockEstimate? { value.estimate }
    var nextDeadline: HostTime? { value.nextDeadline }
    var mayRepliesWait: Bool { value.mayRepliesWait }

    func startAnew(now: HostTime) { value.startAnew(now: now) }

    @discardableResult
    func poll(now: HostTime) -> ClockClient.Request? { value.poll(now: now) }

    func didSend(sequence: UInt32, at transmit: HostTime) { value.didSend(sequence: sequence, at: transmit) }

    @discardableResult
    func receive(_ bytes: [UInt8], at receive: HostTime) -> ClockClient.Reception { value.receive(bytes, at: receive) }

    func suspectChange(now: HostTime) { value.suspectChange(now: now) }
}
