/// A picture in the form in which a terminal takes it, and the cells that it covers.
public struct TerminalPicture: Hashable, Sendable {
    public let columns: Int
    public let rows: Int
    /// Shows it with its top left corner at the cursor.
    let text: String
    /// Takes it off the screen; empty if what is written over it does.
    let removal: String

    /// The one picture of ours that a terminal has: a number that no other program is likely to choose.
    private static let kittyNumber = 1_953_850_473

    /// A picture for kitty's protocol.
    /// - Parameters:
    ///   - pixels: rows from the top, without gaps; three bytes each, or four with alpha.
    ///   - area: where it has room.
    /// - Returns: nil if it is larger than its room, or has not as many bytes as pixels.
    init?(pixels: [UInt8], width: Int, height: Int, bytesPerPixel: Int, in area: PictureArea) {
        guard width > 0, height > 0, width <= area.pixelWidth, height <= area.pixelHeight,
            bytesPerPixel == 3 || bytesPerPixel == 4, pixels.count == width * height * bytesPerPixel
        else {
            return nil
        }
        columns = (width - 1) / area.cellWidth + 1
        rows = (height - 1) / area.cellHeight + 1
        // It is shown pixel for pixel. Only where a cell's size is not known it is fitted into its cells.
        let fitting = area.cell == nil ? ",c=\(columns),r=\(rows)" : ""
        text = Self.kittyText(
            Base64.encode(pixels),
            // Shown at once, the cursor stays (C), and no answer comes (q).
            "a=T,i=\(Self.kittyNumber),f=\(bytesPerPixel * 8),s=\(width),v=\(height)\(fitting),C=1,q=2")
        removal = "\u{1B}_Ga=d,d=I,i=\(Self.kittyNumber),q=2\u{1B}\\"
    }

    /// A picture of sixels.
    /// - Parameter data: from the raster attributes on; checked.
    /// - Returns: nil if it is larger than its room, or nobody knows how large a cell is.
    init?(_ data: SixelData, in area: PictureArea) {
        guard let cell = area.cell, data.width <= area.pixelWidth, data.height <= area.pixelHeight else { return nil }
        columns = (data.width - 1) / cell.width + 1
        rows = (data.height - 1) / cell.height + 1
        // Pixels that are not set stay as they are (P2 = 1).
        text = "\u{1B}P0;1;0q\(String(decoding: data.bytes, as: UTF8.self))\u{1B}\\"
        removal = ""
    }

    /// The protocol's "escape code" in chunks of at most 4,096 bytes.
    private static func kittyText(_ base64: [UInt8], _ keys: String) -> String {
        var text = ""
        for start in stride(from: 0, to: base64.count, by: 4_096) {
            let end = min(start + 4_096, base64.count)
            let first = start == 0 ? keys + "," : ""
            let chunk = String(decoding: base64[start..<end], as: UTF8.self)
            text += "\u{1B}_G\(first)m=\(end < base64.count ? 1 : 0);\(chunk)\u{1B}\\"
        }
        return text
    }
}
