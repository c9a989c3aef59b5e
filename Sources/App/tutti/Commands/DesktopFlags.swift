import DesktopRemote
import TuttiRuntime

/// What the desktop may do with a session.
enum DesktopFlags {
    static let noMediaKeys = CommandSyntax.Option.flag(
        "--no-media-keys", "Do not show it to the desktop: no media keys, panels and playerctl (MPRIS).")
    static let notify = CommandSyntax.Option.flag(
        "--notify", "Show a notification of the desktop for each song that begins: title, artist, album and picture.")
    static let mediaKeys = CommandSyntax.Option.value(
        "--media-keys", "listener|broadcast|off",
        candidates: .choices(MediaKeys.allCases.map(\.rawValue)),
        "What pause and play of the desktop (media keys, a closed lid, a call; MPRIS) are for: this listener, which "
            + "falls silent alone; the broadcast, for all listeners; or nothing at all. Default: listener.")

    enum MediaKeys: String, CaseIterable {
        case listener, broadcast, off

        func presence(of listener: Listener, notifies: Bool) -> DesktopPresence? {
            .of(
                listener, DesktopRemote.Uses(isCommanded: self != .off, notifies: notifies),
                pausesBroadcast: self == .broadcast)
        }
    }

    /// What the desktop is for, where media keys are all or nothing.
    static func uses(_ arguments: CommandArguments) -> DesktopRemote.Uses {
        DesktopRemote.Uses(isCommanded: !arguments.has(noMediaKeys), notifies: arguments.has(notify))
    }

    static func mediaKeys(_ arguments: CommandArguments) throws(UsageError) -> MediaKeys {
        guard let text = arguments.value(of: mediaKeys) else { return .listener }
        guard let wanted = MediaKeys(rawValue: text) else {
            throw UsageError(mediaKeys, "takes listener, broadcast or off, not '\(text)'")
        }
        return wanted
    }
}
