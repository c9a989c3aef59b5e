import LANKit
import Testing

/// A terminal on a host, with a program in it: tmux, at which nobody looks. Keys are sent, and the screen is read.
struct PlayerTerminal {
    private let host: LANHost
    private let socket: String

    /// Starts a shell, and in it the command, whose end is seen on the screen.
    /// - Parameter size: columns and rows.
    init(_ command: String, on host: LANHost, in lan: LAN, size: (width: Int, height: Int)) throws {
        self.host = host
        socket = lan.path("\(host.name).tmux")
        let size = ["-x", "\(size.width)", "-y", "\(size.height)"]
        try tmux(["-f", "/dev/null", "new-session", "-d"] + size + ["PS1='> ' bash --norc --noprofile -i"])
        try tmux(["set-option", "-g", "status", "off"])
        try type("\(command); echo ended with $?")
        try press("Enter")
    }

    @discardableResult
    private func tmux(_ words: [String]) throws -> String {
        let (status, output) = try host.run(["tmux", "-S", socket] + words)
        #expect(status == .exited(0), "tmux \(words)")
        return output
    }

    /// Presses keys by tmux' names: `Enter`, `Down`, `a`.
    func press(_ keys: String...) throws { try tmux(["send-keys"] + keys) }

    func type(_ text: String) throws { try tmux(["send-keys", "-l", "--", text]) }

    func resize(to size: (width: Int, height: Int)) throws {
        try tmux(["resize-window", "-x", "\(size.width)", "-y", "\(size.height)"])
    }

    /// The rows of the screen, without the spaces at their ends.
    func rows() throws -> [String] {
        try tmux(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func row(_ index: Int) throws -> String {
        let rows = try rows()
        return rows.indices.contains(index) ? rows[index] : ""
    }

    func wait(for text: String, within seconds: Double = 10) throws {
        try waitUntil("'\(text)'", within: seconds) { try rows().contains { $0.contains(text) } }
    }

    /// Waits for something to be seen; where it does not come, the screen tells what was there.
    func waitUntil(_ what: String, within seconds: Double, _ isSo: () throws -> Bool) throws {
        do {
            try LANKit.waitUntil(what, within: seconds, isSo)
        } catch {
            Issue.record("\(error); on the screen: \(try rows())")
            throw error
        }
    }

    /// Ends what is in it.
    func close() { _ = try? host.run(["tmux", "-S", socket, "kill-server"]) }
}
