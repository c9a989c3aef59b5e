import AudioCore
import Testing

@testable import Songs

@Suite(.timeLimit(.minutes(5)))
struct SongOrderTests {
    @Test func numbersInNamesAreNumbers() {
        let names = ["10", "9 b", "Song 10", "song 2", "Song 02", "1", "", "a", "B", "99999999999999999999999", "Ü"]
        let sorted = names.sorted { NaturalOrder($0) < NaturalOrder($1) }
        #expect(
            sorted == ["", "1", "9 b", "10", "99999999999999999999999", "a", "B", "Song 02", "song 2", "Song 10", "Ü"])
    }

    private func sorted(_ songs: [(name: String, info: [AudioInfoKey: String])]) -> [String] {
        songs.sorted { SongOrder(name: $0.name, info: $0.info) < SongOrder(name: $1.name, info: $1.info) }.map(\.name)
    }

    @Test func discAndTrackGoBeforeTheName() {
        #expect(
            sorted([
                ("a", [.album: "X", .disc: "2/2", .track: "1"]), ("b", [.album: "X", .disc: "1/2", .track: "10/12"]),
                ("c", [.album: "X", .track: " 02"]), ("d", [.album: "X"]), ("e", [.album: "X", .track: "side A"]),
            ]) == ["c", "b", "d", "e", "a"])
    }

    @Test func albumsStayTogether() {
        #expect(
            sorted([
                ("1", [.album: "Two", .track: "1"]), ("2", [.album: "One", .track: "2"]), ("3", [.track: "1"]),
                ("4", [:]), ("5", [.album: "One", .track: "1"]), ("6", [.album: "Two", .track: "2"]),
            ]) == ["5", "2", "1", "6", "3", "4"])
    }
}
