/// What a user does to the page. Each counts as a gesture, after which the page may play.
extension BrowserPage {
    /// Clicks with the mouse on the middle of the first element that matches, scrolled into view.
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func click(on selector: String) throws(BrowserError) {
        let place = try place(of: selector)
        try send(.mouse, .moves, place, isHeld: false)
        try send(.mouse, .presses, place, isHeld: true)
        try send(.mouse, .releases, place, isHeld: false)
    }

    /// Taps with a finger on the middle of the first element that matches; for a phone (``BrowserDevice/isPhone``).
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func tap(on selector: String) throws(BrowserError) {
        let place = try place(of: selector)
        try send(.finger, .presses, place, isHeld: true)
        try send(.finger, .releases, place, isHeld: false)
    }

    /// By what something is dragged.
    public enum Pointer: Sendable {
        case mouse
        /// For a phone (``BrowserDevice/isPhone``).
        case finger
    }

    /// Drags the first element that matches, by its middle, onto another one, in some steps as a hand does. Both must
    /// fit into the view.
    /// - Parameter depth: where in the other's height it is dropped: 0 for its top, 1 for its bottom.
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func drag(
        _ selector: String, onto target: String, depth: Double = 0.5, by pointer: Pointer = .mouse
    ) throws(BrowserError) {
        let to = try place(of: target, depth: depth, scrolls: true)
        let from = try place(of: selector, scrolls: false)
        try send(pointer, .moves, from, isHeld: false)
        try send(pointer, .presses, from, isHeld: true)
        let steps = 8
        for step in 1...steps {
            let part = Double(step) / Double(steps)
            let x = from.x + (to.x - from.x) * part
            try send(pointer, .moves, (x, from.y + (to.y - from.y) * part), isHeld: true)
        }
        try send(pointer, .releases, to, isHeld: false)
    }

    /// What a pointer does.
    private enum Gesture {
        case moves
        case presses
        case releases
    }

    private func send(
        _ pointer: Pointer, _ gesture: Gesture, _ place: (x: Double, y: Double), isHeld: Bool
    ) throws(BrowserError) {
        switch pointer {
        case .mouse:
            let type =
                switch gesture {
                case .moves: "mouseMoved"
                case .presses: "mousePressed"
                case .releases: "mouseReleased"
                }
            let isPress = gesture != .moves
            try call(
                "Input.dispatchMouseEvent",
                [
                    "type": .string(type), "x": .number(place.x), "y": .number(place.y),
                    "button": isPress || isHeld ? "left" : "none", "buttons": isHeld ? 1 : 0,
                    "clickCount": isPress ? 1 : 0,
                ])
        case .finger:
            // A finger that does not touch is nowhere.
            if gesture == .moves && !isHeld { return }
            let type =
                switch gesture {
                case .moves: "touchMove"
                case .presses: "touchStart"
                case .releases: "touchEnd"
                }
            try call(
                "Input.dispatchTouchEvent",
                [
                    "type": .string(type),
                    "touchPoints": isHeld ? [["x": .number(place.x), "y": .number(place.y)]] : [],
                ])
        }
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

    /// The middle of the first element that matches, or another place in its height, in CSS pixels of the view.
    private func place(
        of selector: String, depth: Double = 0.5, scrolls: Bool = true
    ) throws(BrowserError) -> (x: Double, y: Double) {
        let box = try evaluate(
            """
            (() => {
                const element = document.querySelector(\(JSON.quoted(selector)));
                if (!element) return null;
                if (\(scrolls)) element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
                const box = element.getBoundingClientRect();
                return box.width * box.height > 0 ? [box.x + box.width / 2, box.y + box.height * \(depth)] : null;
            })()
            """)
        guard let x = box[0].number, let y = box[1].number else { throw .notFound(selector: selector) }
        return (x, y)
    }
}
