extension DevToolsPage {
    func point(with pointer: BrowserPage.Pointer, along path: [PagePlace]) throws(BrowserError) {
        guard let first = path.first, let last = path.last else { return }
        switch pointer {
        case .mouse:
            try mouse("mouseMoved", first, isHeld: false)
            try mouse("mousePressed", first, isHeld: true)
            for place in path.dropFirst() { try mouse("mouseMoved", place, isHeld: true) }
            try mouse("mouseReleased", last, isHeld: false)
        case .finger:
            try finger("touchStart", first)
            for place in path.dropFirst() { try finger("touchMove", place) }
            try finger("touchEnd", nil)
        }
    }

    private func mouse(_ type: String, _ place: PagePlace, isHeld: Bool) throws(BrowserError) {
        let isPress = type != "mouseMoved"
        try call(
            "Input.dispatchMouseEvent",
            [
                "type": .string(type), "x": .number(place.x), "y": .number(place.y),
                "button": isPress || isHeld ? "left" : "none", "buttons": isHeld ? 1 : 0,
                "clickCount": isPress ? 1 : 0,
            ])
    }

    private func finger(_ type: String, _ place: PagePlace?) throws(BrowserError) {
        let touches: [JSON] = place.map { [["x": .number($0.x), "y": .number($0.y)]] } ?? []
        try call("Input.dispatchTouchEvent", ["type": .string(type), "touchPoints": .array(touches)])
    }

    func press(_ key: BrowserPage.Key) throws(BrowserError) {
        let (text, code) = Self.details(of: key)
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

    func type(_ text: String) throws(BrowserError) {
        try call("Input.insertText", ["text": .string(text)])
    }

    /// What a key types, if anything, and its number on Windows keyboards, by which Chromium acts.
    private static func details(of key: BrowserPage.Key) -> (text: String?, code: Int) {
        switch key {
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
