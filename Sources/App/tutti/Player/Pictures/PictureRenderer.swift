// Pictures come from anybody who sends songs, and decoders of pictures have more faults than most. So this program
// decodes none: a viewer does, chafa, as a child that has little memory and time, no file to write, and none of this
// process's descriptors. What it cannot show with these is not shown.

import AudioCore
import HostSystem
import TerminalIO

/// A song's picture, where it has room, and how the terminal takes it.
struct PictureRequest: Hashable, Sendable {
    /// A JPEG, PNG, WebP or GIF file.
    var bytes: [UInt8]
    var area: PictureArea
    var graphicsProtocol: GraphicsProtocol
}

/// Turns pictures into what a terminal shows, with the viewer that is installed. Any thread may call any method.
struct PictureRenderer: Sendable {
    private let viewer: String
    private let process: BoundedProcess

    /// Larger files are no pictures for a few cells.
    static let byteLimit = 16 << 20
    private static let limits = ProcessLimits(time: .seconds(3), outputByteCount: 4 << 20)

    /// Nil if no viewer is installed.
    init?() {
        guard let viewer = BoundedProcess.path(of: "chafa"), let process = try? BoundedProcess() else { return nil }
        self.viewer = viewer
        self.process = process
    }

    /// Ends the viewer, for good: there are no pictures any more.
    func cancel() { process.cancel() }

    /// Returns the picture, as large as it has room, in its own shape. Blocks for as long as the viewer takes, which is
    /// some 50 ms and at most 6 s.
    /// - Returns: nil if it cannot be shown, for whatever reason.
    func picture(_ request: PictureRequest) -> TerminalPicture? {
        guard request.bytes.count <= Self.byteLimit, Self.isKnown(request.bytes) else { return nil }
        // Sixels are not fitted into cells: where nobody knows how large these are, they might cover others.
        guard request.graphicsProtocol == .kitty || request.area.cell != nil else { return nil }
        // Without a terminal the viewer takes cells to be of a size that depends on its version: until 1.12 this one,
        // since 1.14 that. The first makes pictures too large for its room in later versions.
        for (width, height) in [(8, 8), (10, 20)] {
            let columns = max(1, request.area.pixelWidth / width)
            let rows = max(1, request.area.pixelHeight / height)
            guard let output = output(request, columns: columns, rows: rows) else { return nil }
            if let picture = TerminalPicture(
                viewerOutput: output, as: request.graphicsProtocol, in: request.area)
            {
                return picture
            }
        }
        return nil
    }

    private func output(_ request: PictureRequest, columns: Int, rows: Int) -> [UInt8]? {
        let format = request.graphicsProtocol == .kitty ? "kitty" : "sixels"
        // The ratio is that of a cell of 8 x 8 pixels. Later versions know their own cells' and pass it over.
        return try? process.run(
            [
                viewer, "--format", format, "--size", "\(columns)x\(rows)", "--font-ratio", "1/1", "--scale", "max",
                "--animate", "off", "--polite", "on", "--threads", "1", "-",
            ],
            // Its libraries would start threads, each with a stack and a heap.
            environment: ["TERM=xterm-256color", "LANG=C.UTF-8", "OMP_NUM_THREADS=1", "MAGICK_THREAD_LIMIT=1"],
            input: request.bytes, limits: Self.limits)
    }

    /// Whether it begins as files of these formats do. The viewer knows many more: some of them name other files, which
    /// it would read.
    private static func isKnown(_ bytes: [UInt8]) -> Bool {
        let starts: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Array("GIF87a".utf8),
            Array("GIF89a".utf8),
        ]
        let isWebP = bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
        return isWebP || starts.contains { bytes.starts(with: $0) }
    }
}
