import Glibc

/// Which browser.
public enum BrowserKind: String, CaseIterable, Sendable {
    /// By the Chrome DevTools protocol.
    case chromium
    /// By WebDriver BiDi.
    case firefox

    /// The program itself; Debian's script for Chromium in /usr/bin adds options that differ between machines.
    public var executable: String {
        switch self {
        case .chromium: "/usr/lib/chromium/chromium"
        case .firefox: "/usr/lib/firefox-esr/firefox-esr"
        }
    }

    /// What Debian calls its package.
    public var package: String {
        switch self {
        case .chromium: "chromium"
        case .firefox: "firefox-esr"
        }
    }

    public var isInstalled: Bool { access(executable, X_OK) == 0 }

    /// As its makers write it.
    public var title: String {
        switch self {
        case .chromium: "Chromium"
        case .firefox: "Firefox"
        }
    }
}
