/// The format of a picture, detected by its first bytes. Nothing else in it is read.
public enum PictureFormat: Hashable, Sendable, CaseIterable {
    case jpeg, png, webp, gif

    /// Bytes that are enough to detect any of them.
    public static let signatureByteCount = 12

    /// - Returns: nil if it is none of these formats.
    public init?(_ bytes: some Collection<UInt8>) {
        let start = Array(bytes.prefix(Self.signatureByteCount))
        guard let format = Self.allCases.first(where: { $0.begins(start) }) else { return nil }
        self = format
    }

    /// The Internet media type: "image/jpeg".
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        case .gif: "image/gif"
        }
    }

    /// "JPEG".
    public var name: String {
        switch self {
        case .jpeg: "JPEG"
        case .png: "PNG"
        case .webp: "WebP"
        case .gif: "GIF"
        }
    }

    private func begins(_ start: [UInt8]) -> Bool {
        switch self {
        // SOI, and the first byte of another marker (ITU-T T.81 section B.1.1).
        case .jpeg: start.starts(with: [0xFF, 0xD8, 0xFF])
        // PNG section 5.2.
        case .png: start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        // RFC 9649 section 2.4.
        case .webp: start.starts(with: "RIFF".utf8) && start.dropFirst(8).starts(with: "WEBP".utf8)
        // GIF89a section 17.
        case .gif: start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8)
        }
    }
}
