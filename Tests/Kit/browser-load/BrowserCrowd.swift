import Glibc

/// Many browsers in one thread.
final class BrowserCrowd {
    private var browsers: [LoadBrowser] = []
    private var owners: [Int32: LoadBrowser] = [:]
    private var descriptors: [pollfd] = []
    private let count: Int
    private(set) var failures: [String] = []

    private static let joinPause = 0.02
    private static let pollMilliseconds: Int32 = 20

    init(of count: Int) { self.count = count }

    var joinedCount: Int { browsers.count }

    /// Lets them join, one after the other.
    /// - Parameter sources: own IPv4 addresses, taken in turn.
    func join(host: String, port: UInt16, from sources: [String]) {
        for number in 0..<count {
            do {
                try add(
                    LoadBrowser(number + 1, from: sources[number % sources.count], to: host, port: port))
            } catch {
                failures.append("\(error)")
            }
            attend(seconds: Self.joinPause)
        }
    }

    private func add(_ browser: LoadBrowser) {
        browsers.append(browser)
        for descriptor in browser.descriptors {
            owners[descriptor] = browser
            descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
    }

    /// Takes what has come, for so long, and does what is due.
    func attend(seconds: Double) {
        let end = LoadBrowser.now() + Int64(seconds * 1e9)
        while LoadBrowser.now() < end {
            poll(&descriptors, nfds_t(descriptors.count), Self.pollMilliseconds)
            for index in descriptors.indices where descriptors[index].revents != 0 {
                owners[descriptors[index].fd]?.takeReady(descriptors[index].fd)
                // What ended is not asked again.
                if descriptors[index].revents & Int16(POLLHUP | POLLERR) != 0 { descriptors[index].fd = -1 }
            }
            for browser in browsers { browser.attend() }
        }
    }

    /// What became of them.
    var json: String {
        let figures = browsers.map(\.figures)
        let margin = figures.compactMap(\.leastMargin).min().map { "\(Double($0) / 1e6)" } ?? "null"
        let roundTrip = Double(browsers.map(\.longestRoundTrip).max() ?? 0) / 1e6
        return """
            {"browsers":\(count),"joined":\(browsers.count),"welcome":\(browsers.count { $0.isWelcome }),\
            "whole":\(browsers.count { $0.isWhole }),"gaps":\(figures.reduce(0) { $0 + $1.gaps }),\
            "late":\(figures.reduce(0) { $0 + $1.late }),"messages":\(figures.reduce(0) { $0 + $1.messages }),\
            "entries":\(figures.reduce(0) { $0 + $1.entries }),"leastMarginMilliseconds":\(margin),\
            "longestClockRoundTripMilliseconds":\(roundTrip),"bytes":\(browsers.reduce(0) { $0 + $1.byteCount })}
            """
    }
}
