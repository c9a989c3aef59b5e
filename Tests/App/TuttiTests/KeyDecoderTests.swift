import AudioCore
import Testing
import TuttiRuntime

@testable import tutti

/// What a terminal's bytes mean to a player.
@Suite(.timeLimit(.minutes(5))) struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.keys(text.utf8)
    }

    @Test func cursorKeysComeInBothForms() {
        #expect(keys("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D") == [.up, .down, .right, .left])
        #expect(keys("\u{1B}OA\u{1B}OD") == [.up, .left])
        // With modifiers.
        #expect(keys("\u{1B}[1;5C") == [.right])
    }

    @Test func aSequenceMayComeInPieces() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]).isEmpty && decoder.keys([0x5B]).isEmpty)
        #expect(decoder.keys([0x43, 0x20]) == [.right, .character(0x20)])
    }

    @Test func whatIsNoKeyOfOursIsPassedOverWhole() {
        #expect(keys("\u{1B}[5~n") == [.character(0x6E)])
        #expect(keys("\u{1B}xq") == [.character(0x71)])
        #expect(keys("é ") == [.character(0x20)])
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
