import HostSystem
import PlayerScreen
import TerminalIO
import TuttiRuntime

/// The picture of the song that plays, on a terminal that shows pictures where a viewer for them is installed. For the
/// player's thread.
struct PlayerPictures {
    private var graphics = Terminal.graphics
    private let thread: PictureThread?
    /// The song's; nil while it has none.
    private var bytes: [UInt8]?
    private var isAsked = false
    /// Of the last request: what was rendered for another one may still be on its way.
    private var number = 0

    init(inbox: PlayerInbox) {
        thread = PictureRenderer().flatMap { renderer in
            try? PictureThread(renderer) { inbox.post(.picture($0, number: $1)) }
        }
    }

    /// - Returns: nil if there is no viewer, or no thread for it: there are no pictures then.
    func start() -> HostThread? { try? thread?.start() }

    func stop() { thread?.stop() }

    /// Whether there will be pictures, as far as that is known.
    var areShown: Bool { thread != nil && graphics.graphicsProtocol != nil }

    /// What the terminal is to be asked, once.
    mutating func takeQuery() -> String {
        guard thread != nil, !isAsked else { return "" }
        isAsked = true
        return graphics.query
    }

    mutating func receive(_ answer: TerminalAnswer) { graphics.receive(answer) }

    /// Shows this instead of what was shown before.
    mutating func show(_ bytes: [UInt8]?, _ size: ScreenSize) {
        self.bytes = bytes
        render(size)
    }

    /// Renders the picture, for a screen of this size; what comes of it is news.
    mutating func render(_ size: ScreenSize) {
        var request: PictureRequest?
        if let bytes, let room = ScreenLayout.pictureCells(size), let form = graphics.graphicsProtocol {
            let area = PictureArea(columns: room.width, rows: room.height, cell: Terminal.cellSize)
            request = PictureRequest(bytes: bytes, area: area, graphicsProtocol: form)
        }
        number = thread?.request(request) ?? 0
    }

    /// Whether this is what was asked for last.
    func isWanted(number: Int) -> Bool { number == self.number }
}
