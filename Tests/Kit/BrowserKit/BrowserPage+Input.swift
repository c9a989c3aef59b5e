/// What a user does to the page. Each counts as a gesture, after which the page may play.
extension BrowserPage {
    /// Clicks with the mouse on the middle of the first element that matches, scrolled into view.
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func click(on selector: String) throws(BrowserError) {
        let (x, y) = try middle(of: selector)
        try control.point(with: .mouse, x: x, y: y)
    }

    /// Taps with a finger on the middle of the first element that matches; for a phone (``BrowserDevice/isPhone``).
    /// - Throws: ``BrowserError/notFound(selector:)``.
    public func tap(on selector: String) throws(BrowserError) {
        let (x, y) = try middle(of: selector)
        try control.point(with: .finger, x: x, y: y)
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

    private func middle(of selector: String) throws(BrowserError) -> (x: Double, y: Double) {
        let box = try evaluate(
            """
            (() => {
                const element = document.querySelector(\(JSON.string(selector).text));
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
