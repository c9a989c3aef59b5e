import Glibc
import TerminalIO

extension Terminal {
    /// The size of a cell now; nil if the terminal does not say (tty_ioctl(4), TIOCGWINSZ).
    static var cellSize: CellSize? {
        var window = winsize()
        guard ioctl(StandardStream.output.rawValue, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else {
            return nil
        }
        return CellSize(
            width: Int(window.ws_xpixel / window.ws_col), height: Int(window.ws_ypixel / window.ws_row))
    }

    /// What the environment says of the terminal's pictures, and what to ask.
    static var graphics: TerminalGraphics {
        TerminalGraphics.detect { name in getenv(name).map { String(cString: $0) } }
    }
}
