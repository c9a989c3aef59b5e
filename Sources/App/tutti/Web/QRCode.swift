import CQREncode

/// A QR code (ISO/IEC 18004), drawn with half blocks: two rows of modules in one line of text.
struct QRCode {
    /// Modules on each side.
    let width: Int
    /// Row by row, whether each is dark.
    private let modules: [Bool]

    /// The light border that scanners need (ISO/IEC 18004, section 5.3.8).
    private static let quietZone = 4

    /// Returns nil for a text that is too long.
    init?(_ text: String) {
        // Version 0 takes the smallest that fits. What is shown on a screen needs the least correction.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        let data = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        // Bit 0 of each byte: 1 is dark.
        modules = data.map { $0 & 1 == 1 }
    }

    /// Whether the module is dark; those around the code are light.
    func isDark(_ column: Int, _ row: Int) -> Bool {
        guard (0..<width).contains(column), (0..<width).contains(row) else { return false }
        return modules[row * width + column]
    }

    /// Lines of text, the quiet zone included. What is light is drawn: a code must be dark on light, and most terminals
    /// are light on dark.
    /// - Parameter isColored: sets both colours by SGR sequences, so that it is right on every terminal.
    func lines(isColored: Bool) -> [String] {
        let range = -Self.quietZone..<width + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = range.map { column in
                switch (isDark(column, row), row + 1 < range.upperBound ? isDark(column, row + 1) : true) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
            // Bright white on black.
            return isColored ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
        }
    }
}
