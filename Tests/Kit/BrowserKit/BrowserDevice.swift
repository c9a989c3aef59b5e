/// What a page is seen on.
public struct BrowserDevice: Sendable {
    /// In CSS pixels.
    public var width: Int
    public var height: Int
    /// Pixels of the screen to a CSS pixel.
    public var scale: Double
    /// Honours the page's viewport, and is touched rather than pointed at.
    public var isPhone: Bool

    public init(width: Int, height: Int, scale: Double = 1, isPhone: Bool = false) {
        self.width = width
        self.height = height
        self.scale = scale
        self.isPhone = isPhone
    }

    public static let desktop = BrowserDevice(width: 1_280, height: 800)
    public static let phone = BrowserDevice(width: 390, height: 844, scale: 3, isPhone: true)
}
