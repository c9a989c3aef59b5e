import Broadcasting
import Peering
import WireProtocol

/// The machine's own loudspeakers.
extension BroadcastRunner {
    func playHere(_ local: LocalListener) {
        local.onBytes = { [weak self] id, bytes in self?.handle(.received(id, bytes)) }
        local.onClose = { [weak self] id in self?.handle(.closed(id)) }
        local.onFailure = { [weak self] failure in self?.lostOwnLoudspeakers(failure) }
        local.start()
        handle(.opened(LocalListener.connection, .local, address: "this machine", dial: nil, key: freshKey()))
    }

    /// Handles the loss of the own sound device: the listeners play on, and the failure is reported at the end.
    private func lostOwnLoudspeakers(_ failure: any Error) {
        localFailure = failure
        let known = failure as? RuntimeFailure ?? RuntimeFailure(.general, .other("\(failure)"))
        emit(.notice(.ownLoudspeakersLost(known)))
        handle(.closed(LocalListener.connection))
        local?.close()
        local = nil
    }

    /// Changes how the own loudspeakers play; the volume of the group if there are none.
    func perform(_ command: LoudspeakerCommand) {
        guard let local else {
            if let change = command.volumeChange { perform(.listeners(.volume(change), of: .all)) }
            return
        }
        guard executor?.session.tickInterval != nil else { return }
        local.perform(command)
        emitStatus()
    }
}
