/// What can be done with a page, in the protocol of its browser. Commands return when the browser has answered.
///
/// Used from one thread.
protocol PageControl: AnyObject {
    /// Takes what the page says; set before anything is loaded.
    var take: (PageNews) -> Void { get set }

    func load(_ address: String, within seconds: Double) throws(BrowserError)
    func evaluate(_ expression: String, within seconds: Double) throws(BrowserError) -> JSON
    /// Lets events come until the condition holds.
    func wait(
        for what: String, within seconds: Double, _ condition: () throws(BrowserError) -> Bool
    ) throws(BrowserError)

    /// Clicks or taps at a place in CSS pixels.
    /// Presses at the first place, moves along the others, and lets go at the last.
    func point(with pointer: BrowserPage.Pointer, along path: [PagePlace]) throws(BrowserError)
    func press(_ key: BrowserPage.Key) throws(BrowserError)
    func type(_ text: String) throws(BrowserError)

    func show(on device: BrowserDevice) throws(BrowserError)
    func prefer(isDark: Bool, reducesMotion: Bool) throws(BrowserError)
    /// The picture as base64 of a PNG file.
    func screenshot() throws(BrowserError) -> String
    func bringToFront() throws(BrowserError)
    func close() throws(BrowserError)
}

/// What a page says without being asked.
enum PageNews {
    /// A line on the console.
    case message(String)
    /// An error on the console, one that nobody caught, a resource that could not be loaded.
    case error(String)
}

/// In CSS pixels of the view.
struct PagePlace {
    var x: Double
    var y: Double
}
