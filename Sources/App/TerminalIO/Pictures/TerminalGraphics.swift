// Which pictures a terminal takes. Some terminals say it in the environment, which is never wrong in the direction that
// matters: within a multiplexer (tmux, screen, Zellij), which passes on the variables of the terminal around it, only
// what the multiplexer itself answers counts. All others are asked, once: kitty's own query shows a picture that is
// never seen, and a terminal that knows the protocol answers it before the request for primary device attributes, which
// follows it and which all terminals answer.

/// Finds out how a terminal takes pictures. A value: the caller writes the query and passes on the answers.
public struct TerminalGraphics: Hashable, Sendable {
    /// Nil while it is not known, and if it takes none.
    public private(set) var graphicsProtocol: GraphicsProtocol?
    /// To be written to the terminal once, before anything that is to be seen: a terminal that does not know it might
    /// show parts of it. Empty if there is nothing to ask.
    public let query: String
    private var isOpen: Bool

    /// Kitty's query ("Querying support and available transmission mediums" in its specification): one pixel as `a=q`.
    private static let kittyQuery = "\u{1B}_Gi=\(TerminalAnswer.queryNumber),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    /// DA1 (DEC STD 070).
    private static let attributesQuery = "\u{1B}[c"
    /// Of DA1's answer: sixel graphics.
    private static let sixelAttribute = 4

    /// Asks the environment, which knows most.
    /// - Parameter variable: returns a variable of the environment.
    public static func detect(_ variable: (String) -> String?) -> TerminalGraphics {
        func isSet(_ name: String) -> Bool { variable(name).map { !$0.isEmpty } ?? false }
        let terminal = variable("TERM") ?? ""
        // The kernel's console writes the query's text.
        guard !isSet("NO_COLOR"), !["", "dumb", "linux"].contains(terminal) else { return TerminalGraphics(query: "") }
        let isWithinAnother =
            ["TMUX", "STY", "ZELLIJ"].contains(where: isSet)
            || ["tmux", "screen"].contains { terminal.hasPrefix($0) }
        if isWithinAnother { return TerminalGraphics(query: attributesQuery) }
        let program = (variable("TERM_PROGRAM") ?? "").lowercased()
        if isSet("KITTY_WINDOW_ID") || ["xterm-kitty", "xterm-ghostty"].contains(terminal)
            || ["wezterm", "ghostty"].contains(program)
        {
            return TerminalGraphics(query: "", .kitty)
        }
        return TerminalGraphics(query: kittyQuery + attributesQuery)
    }

    private init(query: String, _ graphicsProtocol: GraphicsProtocol? = nil) {
        self.query = query
        self.graphicsProtocol = graphicsProtocol
        isOpen = !query.isEmpty
    }

    /// Takes what the terminal answers. Answers that nobody asked for change nothing.
    public mutating func receive(_ answer: TerminalAnswer) {
        guard isOpen else { return }
        switch answer {
        case .kittyGraphics(let isSupported):
            if isSupported, query.hasPrefix(Self.kittyQuery) { graphicsProtocol = .kitty }
        case .deviceAttributes(let attributes):
            isOpen = false
            if graphicsProtocol == nil, attributes.contains(Self.sixelAttribute) { graphicsProtocol = .sixels }
        }
    }
}

/// What a terminal answers to ``TerminalGraphics/query``.
public enum TerminalAnswer: Hashable, Sendable {
    /// To kitty's query.
    case kittyGraphics(isSupported: Bool)
    /// DA1: the first number is the terminal's class, the others are what it can do.
    case deviceAttributes([Int])

    /// The number of the picture that is asked about, which stands in the answer.
    static let queryNumber = 31
}
