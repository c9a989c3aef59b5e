import Glibc
import TerminalIO

/// Asks on the terminal which songs of a list to take.
struct SongQuestion {
    let list: ChoiceList

    /// Whether there is somebody to be asked.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && StandardStream.error.isTerminal }

    /// Shows the list and asks until there is an answer. The end of the input is none of the songs. Blocks.
    func ask() -> SongChoice {
        StandardStream.error.write(list.lines(width: Terminal.outputSize.width).map { $0 + "\n" }.joined())
        while true {
            StandardStream.error.write(Self.prompt(list.songs.count))
            guard let line = readLine() else {
                StandardStream.error.write("\n")
                return .none
            }
            do throws(SongChoiceError) {
                return try SongChoice(line, of: list.songs.count)
            } catch {
                StandardStream.error.write("\(error)".terminalSafe + "\n")
            }
        }
    }

    static func prompt(_ count: Int) -> String {
        let numbers = count == 1 ? "1" : count < 5 ? "1-\(count)" : "1-\(count), 3 5"
        return "songs to take (\(numbers); enter: all; q: none)? "
    }
}
