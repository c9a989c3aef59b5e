extension DevToolsPage {
    func point(with pointer: PagePointer, x: Double, y: Double) throws(BrowserError) {
        switch pointer {
        case .mouse: try click(x: x, y: y)
        case .finger:
            try call(
                "Input.dispatchTouchEvent",
                ["type": "touchStart", "touchPoints": [["x": .number(x), "y": .number(y)]]])
            try call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
        }
    }

    private func click(x: Double, y: Double) throws(BrowserError) {
        for type in ["mouseMoved", "mousePressed", "mouseReleased"] {
            try call(
                "Input.dispatchMouseEvent",
                [
                    "type": .string(type), "x": .number(x), "y": .number(y),
                    "button": type == "mouseMoved" ? "none" : "left", "clickCount": type == "mouseMoved" ? 0 : 1,
                ])
        }
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
