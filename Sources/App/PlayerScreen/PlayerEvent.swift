import Controlling
import MusicLibrary
import TerminalIO

/// What the player in the terminal hears of.
public enum PlayerEvent: Sendable {
    case key(Key)
    /// What the broadcast says.
    case answer(ControlAnswer)
    /// The connection to it is over, for this reason; another one is looked for.
    case lost(String)
    /// Songs that were found for what was typed.
    case found([FoundSong], for: String)
    /// All albums of the index.
    case albums(AlbumList)
    /// The songs of an album that were asked for, as it is played; none if it is gone.
    case songs([FoundSong], of: AlbumRequest)
    /// The index of music: how many songs were looked at so far, or all.
    case reading(songCount: Int, isDone: Bool)
    /// The terminal shows pictures.
    case picturesArePossible
    /// Whether a picture is on the screen.
    case picture(isShown: Bool)
    /// Something that the user should know.
    case note(String)
}

/// What the shell must do, in order.
public enum PlayerAction: Hashable, Sendable {
    case request(ControlRequest)
    /// Answer with ``PlayerEvent/found(_:for:)``; only the last one counts.
    case search(String)
    /// Answer with ``PlayerEvent/albums(_:)``: at most ``PlayerModel/albumLimit``.
    case listAlbums
    /// Answer with ``PlayerEvent/songs(_:of:)``.
    case songs(of: AlbumRequest)
    /// Show this picture, the bytes of an image file, at ``ScreenLayout/pictureCells(_:)``; nil: none. Answer with
    /// ``PlayerEvent/picture(isShown:)``.
    case show(picture: [UInt8]?)
    /// Begin a broadcast here, and command that.
    case begin
    case quit
}

/// Columns and rows of a terminal.
public struct ScreenSize: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
