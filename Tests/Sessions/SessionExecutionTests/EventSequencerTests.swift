import Testing

import SessionExecution

@Suite(.timeLimit(.minutes(5))) struct EventSequencerTests {
    @Test func whatAnActionBringsAboutWaitsForItsFellows() {
        let sequencer = EventSequencer<Int>()
        var actions: [String] = []
        func handle(_ event: Int) {
            sequencer.pass(event) { event in
                for action in ["a", "b"] {
                    actions.append("\(event)\(action)")
                    if event < 3, action == "a" { handle(event + 1) }
                }
            }
        }
        handle(1)
        #expect(actions == ["1a", "1b", "2a", "2b", "3a", "3b"])
        handle(7)
        #expect(actions.suffix(2) == ["7a", "7b"])
    }
}
