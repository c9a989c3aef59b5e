/// A file of the page that a broadcaster serves to browsers. The folder `page` has all of them. The program has them as
/// gzip packs them: the plugin EmbedPage writes `all`.
public struct PageFile: Sendable {
    /// Without folders, as it stands in the address: "index.html".
    public let name: String
    /// Bytes in the file.
    public let byteCount: Int
    /// The file in gzip's format (RFC 1952).
    public let gzip: [UInt8]
}
