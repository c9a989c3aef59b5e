// browser-load HOST PORT COUNT SECONDS SOURCE...: many browsers of one broadcast, who listen by real WebSockets, from
// own IPv4 addresses in turn. Prints an object of JSON; its members' names say what they are.
import Glibc

func complain(_ text: String) {
    _ = ("browser-load: " + text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 5, let port = UInt16(words[1]), let count = Int(words[2]), let seconds = Double(words[3]),
    (1...1_000).contains(count), (1...3_600).contains(seconds)
else {
    complain("write: browser-load HOST PORT COUNT SECONDS SOURCE...")
    exit(64)
}
signal(SIGPIPE, SIG_IGN)
// Three sockets each.
var limit = rlimit(rlim_cur: rlim_t(3 * count + 64), rlim_max: rlim_t(3 * count + 64))
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

let crowd = BrowserCrowd(of: count)
crowd.join(host: words[0], port: port, from: Array(words[4...]))
complain("\(crowd.joinedCount) of \(count) browsers joined \(crowd.failures.first ?? "")")
crowd.attend(seconds: seconds)
print(crowd.json)
