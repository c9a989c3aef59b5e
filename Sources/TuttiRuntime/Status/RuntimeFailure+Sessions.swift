import Listening
import Observing

/// Why a session ended, as a command tells it.
extension RuntimeFailure {
    init(_ failure: ListenFailure) {
        switch failure {
        case .broadcastFailed(let name, let reason): self.init(.lost, "\(name) failed: \(reason)")
        case .lost(let name): self.init(.lost, "lost \(name)")
        }
    }

    init(_ refusal: ObserveRefusal) {
        switch refusal {
        case .broadcastsNothing(let name): self.init(.unavailable, "\(name) broadcasts nothing")
        case .cannotBeObserved(let name):
            self.init(.unavailable, "\(name) runs a Tutti that cannot be checked; install a newer one there")
        case .refused(let name, let reason): self.init(.unavailable, "\(name) refuses: \(reason)")
        case .brokenProtocol(let name, let error): self.init(.unavailable, "\(name ?? "it"): \(error)")
        }
    }
}
