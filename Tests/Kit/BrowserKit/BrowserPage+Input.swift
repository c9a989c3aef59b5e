/// What a user does to the page. Each counts as a gesture, after which the page may play.
extension BrowserPage {
    /// Clicks with the mouse on the middle of the first element that matches, scrolled into view.
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func click(on selector: String) throws(BrowserError) {
        try control.point(with: .mouse, along: [place(of: selector)])
    }

    /// Taps with a finger on the middle of the first element that matches; for a phone (``BrowserDevice/isPhone``).
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func tap(on selector: String) throws(BrowserError) {
        try control.point(with: .finger, along: [place(of: selector)])
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
        let to = try place(of: target, depth: depth)
        let from = try place(of: selector, scrolls: false)
        let steps = 8
        try control.point(
            with: pointer,
            along: (0...steps).map { step in
                let part = Double(step) / Double(steps)
                return PagePlace(x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part)
            })
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
    }

    /// Presses a key and lets it go; what has the focus takes it.
    public func press(_ key: Key) throws(BrowserError) { try control.press(key) }

    /// Types a text into what has the focus.
    public func type(_ text: String) throws(BrowserError) { try control.type(text) }

    /// The middle of the first element that matches, or another place in its height, in CSS pixels of the view.
    private func place(
        of selector: String, depth: Double = 0.5, scrolls: Bool = true
    ) throws(BrowserError) -> PagePlace {
        let box = try evaluate(
            """
            (() => {
                const element = document.querySelector(\(JSON.string(selector).text));
                if (!element) return null;
                if (\(scrolls)) element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
                const box = element.getBoundingClientRect();
                return box.width * box.height > 0 ? [box.x + box.width / 2, box.y + box.height * \(depth)] : null;
            })()
            """)
        guard let x = box[0].number, let y = box[1].number else { throw .notFound(selector: selector) }
        return PagePlace(x: x, y: y)
    }
}
