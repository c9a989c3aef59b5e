import Dispatch
import Glibc
import TuttiRuntime

/// What is to run: `broadcast SONG [PORT]` or `listen [HOST:PORT]`. Without the port and the address, by mDNS.
func makeService(_ words: [String]) -> (any TuttiService)? {
    switch words.first {
    case "broadcast" where words.count > 1:
        var options = BroadcastOptions()
        if words.count > 2 {
            options.network.port = UInt16(words[2])
            options.network.usesDiscovery = false
        }
        return BroadcastService(songs: [words[1]], options: options)
    case "listen":
        var options = JoinOptions()
        options.once = true
        if words.count > 1 {
            options.address = NetworkAddress(parsing: words[1])
            options.network.usesDiscovery = false
        }
        return ListenService(options: options)
    default:
        return nil
    }
}

func show(_ event: RuntimeEvent) {
    switch event {
    case .notice(.network(.listening(let port, _))): print("port \(port)")
    case .notice(.broadcast(.joined(let name))): print("joined: \(String(displaying: name, maximumByteCount: 80))")
    case .notice(let notice) where notice.level == .warning: print("warning: \(notice)")
    case .broadcast(let status): print("\(status.state), \(status.song?.elapsed.seconds ?? 0) s")
    case .listening(let status, let song, _): print("\(status.state), \(song?.elapsed.seconds ?? 0) s")
    default: break
    }
}

// Songs that are not MPEG audio or PCM are decoded by processes of this same program.
DecodeWorkers.offerThisProgram()

guard let service = makeService(Array(CommandLine.arguments.dropFirst())) else {
    print("example-embed broadcast SONG [PORT], or example-embed listen [HOST:PORT]")
    exit(EX_USAGE)
}

// Cancelled by Ctrl-C: it fades out and says goodbye.
let running = Task { try await service.run() }
signal(SIGINT, SIG_IGN)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interrupt.setEventHandler { running.cancel() }
interrupt.resume()

for await event in service.events { show(event) }
do {
    try await running.value
} catch {
    print("failed: \(error)")
    exit(EXIT_FAILURE)
}
