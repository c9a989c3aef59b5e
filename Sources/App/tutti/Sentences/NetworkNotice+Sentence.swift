import TuttiRuntime

extension NetworkNotice {
    /// One line for people.
    var sentence: String {
        switch self {
        case .listening(let port, let clockPort):
            "listening on TCP port \(port)" + (clockPort.map { ", clock on UDP port \($0)" } ?? "")
        case .portInUse(let port, let other):
            "port \(port) is in use by another program; this listens on port \(other)"
        case .nameTaken(let name, let other): "the name '\(name)' is taken on this network: using '\(other)'"
        case .mDNSAvailable: "mDNS is available"
        case .mDNSUnavailable(let failure): "\(failure)"
        case .notAdvertised(let reason): "mDNS rejected our name: \(reason)"
        case .pageNotAdvertised(let reason):
            "mDNS rejected the page for browsers: \(reason); browsers reach it by its address"
        case .noLocalSocket(let directory):
            switch directory.audience {
            case .owner:
                "commands such as `tutti pause` cannot find this broadcast by themselves: '\(directory.path)' must be a "
                    + "directory that is yours alone"
            case .group:
                "the group cannot command this: '\(directory.path)' must be a directory of yours, and you a member of the "
                    + "group; in a systemd unit, set RuntimeDirectory=tutti"
            }
        case .noClockExchange(let host, let error): "no clock exchange with \(host): \(error)"
        }
    }
}
