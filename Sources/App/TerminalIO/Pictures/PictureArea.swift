/// Pixels of one cell of a terminal.
public struct CellSize: Hashable, Sendable {
    public let width: Int
    public let height: Int

    /// Nil for sizes that no cell has.
    public init?(width: Int, height: Int) {
        guard (1...1_000).contains(width), (1...1_000).contains(height) else { return nil }
        self.width = width
        self.height = height
    }
}

/// The room for a picture.
public struct PictureArea: Hashable, Sendable {
    public let columns: Int
    public let rows: Int
    /// Nil if the terminal does not say it.
    public let cell: CellSize?

    /// A kitty takes each pixel as four bytes in base64: at most 1.2 MB.
    static let pixelLimit = 480
    /// Stands for a size that is not known. Nearly all cells are about twice as high as wide.
    static let usualCell = (width: 10, height: 20)

    public init(columns: Int, rows: Int, cell: CellSize?) {
        self.columns = min(max(0, columns), 1_000)
        self.rows = min(max(0, rows), 1_000)
        self.cell = cell
    }

    /// Pixels for the picture.
    public var pixelWidth: Int { min(columns * cellWidth, Self.pixelLimit) }
    public var pixelHeight: Int { min(rows * cellHeight, Self.pixelLimit) }

    var cellWidth: Int { cell?.width ?? Self.usualCell.width }
    var cellHeight: Int { cell?.height ?? Self.usualCell.height }
}
