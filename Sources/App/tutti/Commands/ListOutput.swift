import Glibc
import ProgrammeJSON
import TerminalIO

/// Lists on standard output: tables, fitted to a terminal but whole in a pipe, or JSON objects, one per line.
enum ListOutput {
    static func write(_ table: Table) {
        let isTerminal = StandardStream.output.isTerminal
        let lines = table.lines(width: isTerminal ? Terminal.outputSize.width : .max)
        let isColoured = isTerminal && Terminal.allowsColour
        StandardStream.output.write(lines.map { $0.rendered(coloured: isColoured) + "\n" }.joined())
    }

    static func write(_ values: [JSONValue]) {
        StandardStream.output.write(values.map { $0.text + "\n" }.joined())
    }
}
