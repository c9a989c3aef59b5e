import LANKit

/// What was asked for on the command line.
struct Options {
    var output = ""
    var repetitionCount = 10
    var links = LinkKind.allCases
    var parts = Part.allCases
    var program = buildDirectory + "/tutti"
    var revision = "unknown"
    var date = "unknown"

    /// Why the command line is refused.
    struct Refusal: Error {
        var reason: String
    }

    init(_ arguments: [String]) throws(Refusal) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--quick" {
                repetitionCount = 3
                continue
            }
            guard let value = rest.popFirst() else { throw Refusal(reason: "\(name) is unknown, or needs a value") }
            switch name {
            case "--output": output = value
            case "--program": program = value
            case "--revision": revision = value
            case "--date": date = value
            case "--link":
                guard let link = LinkKind(rawValue: value) else { throw Refusal(reason: "--link is lan or wifi") }
                links = [link]
            case "--part":
                guard let part = Part(rawValue: value) else {
                    throw Refusal(reason: "--part is commands, filling or album")
                }
                parts = [part]
            case "--times":
                guard let count = Int(value), (1...100).contains(count) else {
                    throw Refusal(reason: "--times is from 1 to 100")
                }
                repetitionCount = count
            default: throw Refusal(reason: "unknown option '\(name)'")
            }
        }
        guard !output.isEmpty else { throw Refusal(reason: "--output DIRECTORY is missing") }
    }
}

/// What is measured on each link.
enum Part: String, CaseIterable {
    /// Every command, given to listeners that hold all they may.
    case commands
    /// A pause while a late listener still receives what the others hold.
    case filling
    /// What is heard between songs.
    case album
}

/// What joins the hosts.
enum LinkKind: String, CaseIterable {
    case lan, wifi

    var title: String { self == .lan ? "quiet LAN" : "Wi-Fi-like link" }
    /// Limits are for the quiet LAN; the other may take twice the time.
    var allowance: Double { self == .lan ? 1 : 2 }
    /// Of skew in mid-song, in microseconds. That of the same run is the limit near joints and after commands.
    var skewLimit: Double { self == .lan ? 15 : 100 }
}
