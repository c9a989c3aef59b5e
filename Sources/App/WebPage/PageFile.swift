/// A file of the page that a broadcaster serves to browsers. The folder `page` holds them all; the program holds them as
/// gzip packs them, by the plugin EmbedPage, which writes `all`.
public struct PageFile: Sendable {
    /// Without folders, as it stands in the address: "index.html".
    public let name: String
    /// Bytes in the file.
    public let byteCount: Int
    /// The file in gzip's format (RFC 1952).
    public let gzip: [UInt8]
}
