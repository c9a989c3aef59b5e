import BrowserKit
import TestbedKit

/// What was asked for on the command line.
struct Options {
    private(set) var common = BenchmarkOptions()
    var browser = BrowserKind.chromium
    /// Of each long listening.
    var seconds = 300.0
    var loadCount = 10
    var browserCount = 200
    var parts = Part.allCases

    init(_ arguments: [String]) throws(BenchmarkRefusal) {
        var rest = BenchmarkArguments(arguments)
        var named: [Part] = []
        while let name = rest.next() {
            switch name {
            case "--browser": browser = try rest.choice(of: name)
            case "--seconds": seconds = Double(try rest.number(of: name, in: 20...3_600))
            case "--loads": loadCount = try rest.number(of: name, in: 1...100)
            case "--browsers": browserCount = try rest.number(of: name, in: 1...300)
            case "--part": named.append(try rest.choice(of: name))
            default: try common.take(name, &rest)
            }
        }
        if !named.isEmpty { parts = named }
        try common.check()
    }
}

/// What is measured.
enum Part: String, CaseIterable {
    /// A long listening.
    case steady
    /// The same while the page's main thread stands still for 200 ms each second.
    case blocked
    /// Page loads, one after the other.
    case loads
    /// Many browsers at once.
    case many

    var title: String {
        switch self {
        case .steady: "a page that is left alone"
        case .blocked: "main thread blocked for 200 ms each second"
        case .loads: "page loads"
        case .many: "many browsers"
        }
    }
}
