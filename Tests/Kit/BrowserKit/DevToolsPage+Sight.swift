extension DevToolsPage {
    func show(on device: BrowserDevice) throws(BrowserError) {
        try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(device.width)), "height": .number(Double(device.height)),
                "deviceScaleFactor": .number(device.scale), "mobile": .boolean(device.isPhone),
            ])
        try call("Emulation.setTouchEmulationEnabled", ["enabled": .boolean(device.isPhone)])
    }

    func prefer(isDark: Bool, reducesMotion: Bool) throws(BrowserError) {
        try call(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
                    ["name": "prefers-reduced-motion", "value": reducesMotion ? "reduce" : "no-preference"],
                ]
            ])
    }

    func screenshot() throws(BrowserError) -> String {
        guard let data = try call("Page.captureScreenshot", ["format": "png"])["data"].string else {
            throw .malformedMessage
        }
        return data
    }
}
