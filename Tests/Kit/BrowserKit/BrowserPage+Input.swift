/// What a user does to the page. Each counts as a gesture, after which the page may play.
extension BrowserPage {
    /// Clicks with the mouse on the middle of the first element that matches, scrolled into view.
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func click(on selector: String) throws(BrowserError) {
        let (x, y) = try middle(of: selector)
        for type in ["mouseMoved", "mousePressed", "mouseReleased"] {
            try call(
                "Input.dispatchMouseEvent",
                [
                    "type": .string(type), "x": .number(x), "y": .number(y),
                    "button": type == "mouseMoved" ? "none" : "left", "clickCount": type == "mouseMoved" ? 0 : 1,
                ])
        }
    }

    /// Taps with a finger on the middle of the first element that matches; for a phone (``BrowserDevice/isPhone``).
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func tap(on selector: String) throws(BrowserError) {
        let (x, y) = try middle(of: selector)
        try call(
            "Input.dispatchTouchEvent",
            ["type": "touchStart", "touchPoints": [["x": .number(x), "y": .number(y)]]])
        try call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
    }

    /// Keys by their names in the UI Events specification.
    public enum Key: String, Sendable {
        case tab = "Tab"
        case enter = "Enter"
        case space = "Space"
        case escape = "Escape"
        case up = "ArrowUp"
        case down = "ArrowDown"
        case left = "ArrowLeft"
        case right = "ArrowRight"

        /// What it types, if anything, and its number on Windows keyboards, by which Chromium acts.
        fileprivate var details: (text: String?, code: Int) {
            switch self {
            case .tab: (nil, 9)
            case .enter: ("\r", 13)
            case .space: (" ", 32)
            case .escape: (nil, 27)
            case .left: (nil, 37)
            case .up: (nil, 38)
            case .right: (nil, 39)
            case .down: (nil, 40)
            }
        }
    }

    /// Presses a key and lets it go; what has the focus takes it.
    public func press(_ key: Key) throws(BrowserError) {
        let (text, code) = key.details
        var event: [String: JSON] = [
            "key": .string(key == .space ? " " : key.rawValue), "code": .string(key.rawValue),
            "windowsVirtualKeyCode": .number(Double(code)),
        ]
        for type in [text == nil ? "rawKeyDown" : "keyDown", "keyUp"] {
            event["type"] = .string(type)
            event["text"] = type == "keyDown" ? text.map(JSON.string) : nil
            try call("Input.dispatchKeyEvent", .object(event))
        }
    }

    /// Types a text into what has the focus.
    public func type(_ text: String) throws(BrowserError) {
        try call("Input.insertText", ["text": .string(text)])
    }

    private func middle(of selector: String) throws(BrowserError) -> (x: Double, y: Double) {
        let box = try evaluate(
            """
            (() => {
                const element = document.querySelector(\(JSON.quoted(selector)));
                if (!element) return null;
                element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
                const box = element.getBoundingClientRect();
                return box.width * box.height > 0 ? [box.x + box.width / 2, box.y + box.height / 2] : null;
            })()
            """)
        guard let x = box[0].number, let y = box[1].number else { throw .notFound(selector: selector) }
        return (x, y)
    }
}
