import TerminalIO
import Testing

/// What a terminal's bytes are.
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

    @Test func keysOfTextAndOfEditing() {
        #expect(keys("a é 音") == ["a", " ", "é", " ", "音"].map { .character($0) })
        #expect(keys("\r\n\t\u{7F}\u{8}\u{1}") == [.enter, .enter, .tab, .backspace, .backspace, .control("a")])
        #expect(
            keys("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[Z") == [
                .home, .end, .home, .end, .delete, .pageUp, .pageDown, .backTab,
            ])
    }

    @Test func theMouseSaysWhere() {
        #expect(
            keys("\u{1B}[<0;3;7M\u{1B}[<0;3;7m\u{1B}[<64;1;1M\u{1B}[<65;80;24M\u{1B}[<2;1;1M") == [
                .mouse(.press, column: 2, row: 6), .mouse(.wheelUp, column: 0, row: 0),
                .mouse(.wheelDown, column: 79, row: 23),
            ])
    }

    @Test func aSequenceMayComeInPieces() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]).isEmpty && decoder.isEscapeOpen && decoder.keys([0x5B]).isEmpty)
        #expect(!decoder.isEscapeOpen && decoder.noMore() == nil)
        #expect(decoder.keys([0x43, 0x20]) == [.right, .character(" ")])
        #expect(decoder.keys([0xC3]).isEmpty && decoder.keys([0xA9]) == [.character("é")])
    }

    @Test func theEscapeKeyIsOneThatNothingFollows() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]).isEmpty && decoder.noMore() == .escape && decoder.noMore() == nil)
        #expect(decoder.keys([0x61]) == [.character("a")])
    }

    @Test func whatIsNoKeyOfOursIsPassedOverWhole() {
        #expect(keys("\u{1B}[15~n") == [.character("n")])
        #expect(keys("\u{1B}xq") == [.character("q")])
        #expect(keys("\u{1B}[<1;2M\u{1B}[<9999999999999999999999;1;1Mq") == [.character("q")])
    }

    /// In pieces of any size, between keys.
    @Test func answersAreNoKeys() {
        let bytes = Array("a\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;4;22cb\u{1B}[A".utf8)
        for size in 1...bytes.count {
            var decoder = KeyDecoder()
            var keys: [Key] = []
            var answers: [TerminalAnswer] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                keys += decoder.keys(bytes[start..<min(start + size, bytes.count)])
                answers += decoder.takeAnswers()
            }
            #expect(keys == [.character("a"), .character("b"), .up])
            #expect(answers == [.kittyGraphics(isSupported: true), .deviceAttributes([62, 4, 22])])
        }
    }

    @Test func whatBeginsLikeAnAnswerMayBeTyped() {
        // Alt and an underscore, then text.
        #expect(keys("\u{1B}_abc") == ["a", "b", "c"].map { .character($0) })
        #expect(keys("\u{1B}_Gi=3q") == [.character("q")])
        #expect(keys("\u{1B}_Gi\u{1B}[A") == [.up])
        // A key that belongs to no answer ends it.
        #expect(keys("\u{1B}_Gi=31;O\rq") == [.enter, .character("q")])
        #expect(keys("\u{1B}_Gi=31;O\u{1B}[Aq") == [.up, .character("q")])
    }

    @Test func answersAreBounded() {
        var decoder = KeyDecoder()
        let long = [UInt8](repeating: 0x31, count: 10_000)
        #expect(decoder.keys(Array("\u{1B}[?4".utf8) + long + [0x63]).isEmpty && decoder.takeAnswers().isEmpty)
        #expect(!decoder.keys(Array("\u{1B}_Gi=31;".utf8) + long + [0x71]).isEmpty)
        for _ in 0..<1_000 { #expect(decoder.keys("\u{1B}[?62c".utf8).isEmpty) }
        #expect(decoder.takeAnswers().count <= 10)
    }

    /// No byte is lost behind one that is wrong, and nothing is kept that grows.
    @Test func anyBytesEndInKeys() {
        var decoder = KeyDecoder()
        #expect(
            decoder.keys([0xE9, 0x71, 0xC3, 0xC3, 0xA9, 0xFF, 0x80, 0xF4, 0xBF, 0xBF, 0xBF, 0x71]) == [
                .character("q"), .character("é"), .character("q"),
            ])
        #expect(decoder.keys([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 10_000) + [0x41]) == [.up])
    }
}
