import AudioCore
import HostSystem
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime

/// A real listener, whose thread is held up by whoever takes its events.
@Suite(.timeLimit(.minutes(5))) struct SignOfLifeTests {
    private final class Answers: Sendable {
        private let count = Atomic(0)
        private let wake: WakeSignal

        init() throws { wake = try WakeSignal() }

        func add() {
            count.add(1, ordering: .sequentiallyConsistent)
            wake.signal()
        }

        func number(within span: TimeSpan) -> Int {
            wake.wait(atMost: span)
            return count.load(ordering: .sequentiallyConsistent)
        }
    }

    @Test func onlyAThreadThatIsNotStuckAnswers() throws {
        var options = JoinOptions()
        options.output = .null
        options.network.port = freePort()
        options.network.usesDiscovery = false
        let listener = Listener(options: options, identity: .test("kitchen"))
        let (isThere, isLetGo) = (try WakeSignal(), try WakeSignal())
        let thread = try HostThread(name: "listener") {
            _ = try? listener.run { event in
                guard case .notice(.network(.listening)) = event else { return }
                isThere.signal()
                isLetGo.wait(atMost: .seconds(30))
            }
        }
        isThere.wait(atMost: .seconds(30))
        let answers = try Answers()
        listener.askForSignOfLife { answers.add() }
        #expect(answers.number(within: .milliseconds(300)) == 0)
        isLetGo.signal()
        #expect(answers.number(within: .seconds(30)) == 1)
        listener.stop()
        thread.join()
        listener.askForSignOfLife { answers.add() }
        #expect(answers.number(within: .milliseconds(100)) == 1)
    }
}
