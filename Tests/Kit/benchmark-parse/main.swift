// benchmark-parse: how fast files are parsed, beside ffprobe and mpg123. Scripts/benchmark-parse builds it, makes the
// files, and says what it does.
import Glibc

/// Says it at once, into a pipe as well.
func tell(_ text: String) {
    print(text)
    fflush(nil)
}

var arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--parse", let path = arguments.dropFirst().first {
    do {
        let figures = try FileParsing.parse(path)
        tell("\(figures.packetCount) \(figures.steadyPacketCount) \(figures.steadyAllocationCount)")
        exit(0)
    } catch {
        tell("\(path): \(error)")
        exit(1)
    }
}
guard arguments.first == "--runs", let runs = arguments.dropFirst().first.flatMap({ Int($0) }), runs > 0 else {
    tell("usage: benchmark-parse --runs N FILE...")
    exit(64)
}
tell(Comparison.header)
var isComplete = true
for path in arguments.dropFirst(2) {
    let comparison = Comparison(path: path, runs: runs, program: CommandLine.arguments[0])
    tell(comparison.row)
    isComplete = isComplete && comparison.isComplete
}
exit(isComplete ? 0 : 1)
