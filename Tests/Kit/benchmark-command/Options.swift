import TestbedKit

/// What was asked for on the command line.
struct Options {
    private(set) var common = BenchmarkOptions()
    var repetitionCount = 10
    var links = LinkKind.allCases
    var parts = Part.allCases

    init(_ arguments: [String]) throws(BenchmarkRefusal) {
        var rest = BenchmarkArguments(arguments)
        while let name = rest.next() {
            switch name {
            case "--quick": repetitionCount = 3
            case "--link": links = [try rest.choice(of: name)]
            case "--part": parts = [try rest.choice(of: name)]
            case "--times": repetitionCount = try rest.number(of: name, in: 1...100)
            default: try common.take(name, &rest)
            }
        }
        try common.check()
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
