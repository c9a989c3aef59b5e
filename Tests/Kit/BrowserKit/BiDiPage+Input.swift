extension BiDiPage {
    func point(with pointer: BrowserPage.Pointer, along path: [PagePlace]) throws(BrowserError) {
        let kind: JSON = pointer == .finger ? "touch" : "mouse"
        let moves: [JSON] = path.map {
            ["type": "pointerMove", "x": .number($0.x.rounded()), "y": .number($0.y.rounded())]
        }
        let press: JSON = ["type": "pointerDown", "button": 0]
        try perform([
            "type": "pointer", "id": kind, "parameters": ["pointerType": kind],
            "actions": .array(moves.prefix(1) + [press] + moves.dropFirst() + [["type": "pointerUp", "button": 0]]),
        ])
    }

    func press(_ key: BrowserPage.Key) throws(BrowserError) { try strike([Self.character(of: key)]) }

    func type(_ text: String) throws(BrowserError) { try strike(text.map { String($0) }) }

    /// Presses these keys and lets each go, one after the other.
    private func strike(_ keys: [String]) throws(BrowserError) {
        let strokes: [JSON] = keys.flatMap { key in
            ["keyDown", "keyUp"].map { ["type": .string($0), "value": .string(key)] as JSON }
        }
        try perform(["type": "key", "id": "keyboard", "actions": .array(strokes)])
    }

    private func perform(_ source: JSON) throws(BrowserError) {
        try call("input.performActions", ["actions": [source]])
    }

    /// What stands for a key in WebDriver (section 17.4.2, keyboard actions).
    private static func character(of key: BrowserPage.Key) -> String {
        switch key {
        case .tab: "\u{E004}"
        case .enter: "\u{E007}"
        case .space: " "
        case .escape: "\u{E00C}"
        case .left: "\u{E012}"
        case .up: "\u{E013}"
        case .right: "\u{E014}"
        case .down: "\u{E015}"
        }
    }
}
