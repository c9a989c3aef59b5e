import AudioCore
import HostSystem

// Resuming after an interruption.

extension HTTPSource {
    /// Waits for the next attempt; returns nil to make the caller's loop continue.
    func scheduleRetry(_ reason: String) throws(SongFailure) -> ByteRead? {
        guard attemptCount < pauses.count else {
            phase = .ended
            throw SongFailure(.lost, "\(name) broke off: \(reason)")
        }
        if attemptCount == 0 { events.append(.notice(.warning, "\(name) broke off (\(reason)): connecting again")) }
        phase = .pausing(until: .now() + pauses[attemptCount])
        attemptCount += 1
        return nil
    }

    /// Checks the response to a later request. Returns false while there is none.
    func resumes(_ transfer: HTTPTransfer) throws(SongFailure) -> Bool {
        transfer.perform()
        guard transfer.isAnswered else {
            guard isSilent() else { return false }
            _ = try scheduleRetry("the server does not answer")
            return true
        }
        let head = transfer.head
        if let end = transfer.end, !end.isGood, !head.isFinal {
            _ = try scheduleRetry(Self.detail(end))
            return true
        }
        // A station that restarts may send any response for a while.
        if let objection = objection(to: head) {
            let words = objection.message.dropFirst(name.count).drop { $0 == ":" || $0 == " " }
            _ = try scheduleRetry(String(words))
            return true
        }
        guard let resource, let continuation = resource.continuation(head, at: position) else {
            phase = .ended
            throw SongFailure(.lost, "\(name) has changed on the server: it cannot go on")
        }
        silentSince = nil
        phase = .flowing(transfer)
        switch continuation {
        case .bytes(let skipped): skipCount = skipped
        case .gap:
            isBehindGap = true
            stripper = head.stationInterval.flatMap(ICYStripper.init)
        }
        return true
    }
}
