extension BiDiPage {
    /// The page's viewport is honoured by no Firefox but those of phones.
    func show(on device: BrowserDevice) throws(BrowserError) {
        try call(
            "browsingContext.setViewport",
            [
                "viewport": ["width": .number(Double(device.width)), "height": .number(Double(device.height))],
                "devicePixelRatio": .number(device.scale),
            ])
    }

    func prefer(isDark: Bool, reducesMotion: Bool) throws(BrowserError) {
        throw .refused(command: "prefer", message: "WebDriver BiDi tells a page no preferences; use Chromium")
    }

    func screenshot() throws(BrowserError) -> String {
        guard let data = try call("browsingContext.captureScreenshot")["data"].string else {
            throw .malformedMessage
        }
        return data
    }
}
