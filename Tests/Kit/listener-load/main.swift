// listener-load: many listeners of one broadcast, who check what they are sent. `LoadOptions.usage` says how.
import Glibc
import LANKit
import ListenerLoad

func complain(_ text: String) {
    _ = ("listener-load: " + text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.contains("-h") {
    print(LoadOptions.usage)
    exit(0)
}
signal(SIGPIPE, SIG_IGN)
do {
    let options = try LoadOptions(arguments)
    let load = try ListenerLoad(options, song: try LoadSong(path: options.song), say: complain)
    let stalls = StallLogger()
    var result = load.run()
    result.stallCount = stalls.stalls.count
    result.stalledNanoseconds = stalls.stalls.reduce(0) { $0 + $1.end - $1.start }
    print(result.json)
    exit(result.isFlawless ? 0 : 1)
} catch let refusal as LoadOptions.Refusal {
    complain("\(refusal)")
    exit(64)
} catch {
    complain("\(error)")
    exit(2)
}
