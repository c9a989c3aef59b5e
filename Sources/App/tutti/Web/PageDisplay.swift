import Glibc
import ProgrammeJSON
import TerminalIO
import WebRemote

/// Shows people where the page is.
enum PageDisplay {
    /// Writes the address, and above it its QR code where people read.
    static func show(_ address: PageAddress, isJSON: Bool) {
        if isJSON { return ListOutput.write([.object(["page": .string(address.text)])]) }
        StandardStream.output.write(lines(address).map { $0 + "\n" }.joined())
    }

    static func lines(_ address: PageAddress) -> [String] {
        let isColored = StandardStream.output.isTerminal && getenv("NO_COLOR") == nil
        return (QRCode(address.text)?.lines(isColored: isColored) ?? []) + [address.text]
    }
}
