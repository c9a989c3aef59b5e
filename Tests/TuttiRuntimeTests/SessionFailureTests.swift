import Listening
import Observing
import Testing
import WireProtocol

@testable import TuttiRuntime

/// What a command says of how its session ended, word for word.
@Suite struct SessionFailureTests {
    @Test(
        arguments: [
            (.broadcastFailed("Den", reason: "disk on fire"), "Den failed: disk on fire"), (.lost("Den"), "lost Den"),
        ] as [(ListenFailure, String)]) func ofAListener(failure: ListenFailure, message: String)
    {
        #expect(RuntimeFailure(failure) == RuntimeFailure(.lost, message))
    }

    @Test(
        arguments: [
            (.broadcastsNothing("Den"), "Den broadcasts nothing"),
            (.cannotBeObserved("Den"), "Den runs a Tutti that cannot be checked; install a newer one there"),
            (.refused(by: "Den", reason: "it is full"), "Den refuses: it is full"),
            (.brokenProtocol("Den", .notTutti), "Den: \(WireError.notTutti)"),
            (.brokenProtocol(nil, .notTutti), "it: \(WireError.notTutti)"),
        ] as [(ObserveRefusal, String)]) func ofOneWhoLooksOn(refusal: ObserveRefusal, message: String)
    {
        #expect(RuntimeFailure(refusal) == RuntimeFailure(.unavailable, message))
    }
}
