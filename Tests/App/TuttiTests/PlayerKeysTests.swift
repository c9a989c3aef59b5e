import AudioCore
import TerminalIO
import Testing
import TuttiRuntime

@testable import tutti

/// What a terminal's keys mean.
@Suite(.timeLimit(.minutes(5))) struct PlayerKeysTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.keys(text.utf8)
    }

    @Test func keysTellThePlayer() {
        let commands = keys(" \u{1B}[C\u{1B}[D\u{1B}[A\u{1B}[B+=-mnpx").map { PlayerCommand($0) }
        #expect(
            commands == [
                .togglePause, .seek(by: .seconds(5)), .seek(by: .seconds(-5)), .changeVolume(by: 5),
                .changeVolume(by: -5), .changeVolume(by: 5), .changeVolume(by: 5), .changeVolume(by: -5), .toggleMute,
                .nextSong, .previousSong, nil,
            ])
    }

    @Test func keysTellLoudspeakers() {
        let commands = keys("+=-m \u{1B}[Aq").map { LoudspeakerCommand($0) }
        #expect(
            commands == [
                .changeVolume(by: 5), .changeVolume(by: 5), .changeVolume(by: -5), .toggleMute, nil, nil, nil,
            ])
    }
}
