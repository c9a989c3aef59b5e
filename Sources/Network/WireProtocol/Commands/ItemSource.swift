import AudioCore

/// Where the broadcaster gets an item that somebody else adds.
///
/// Further kinds have codes of their own.
public enum ItemSource: Hashable, Sendable {
    case web(WebAddress)
    /// A file of the broadcaster's own machine, by its absolute path of at most ``WireLimits/addressByteCount`` bytes.
    /// Refused from anybody but that machine's user.
    case file(String)

    /// A file by its absolute path; nil if no command can name it, as the path is too long.
    public init?(path: String) {
        guard path.hasPrefix("/"), path.utf8.count <= WireLimits.addressByteCount else { return nil }
        self = .file(path)
    }

    /// Divides sources into as many lists as commands are needed for them.
    public static func batches(of sources: [ItemSource]) -> [[ItemSource]] {
        var batches: [[ItemSource]] = []
        for source in sources {
            if let last = batches.last, isWithinLimits(last + [source]) {
                batches[batches.count - 1].append(source)
            } else {
                batches.append([source])
            }
        }
        return batches
    }

    /// Whether one command can hold these.
    static func isWithinLimits(_ sources: [ItemSource]) -> Bool {
        sources.count <= WireLimits.sourcesPerCommand
            && sources.reduce(0) { $0 + $1.byteCount } <= WireLimits.sourceByteCount
    }

    var byteCount: Int {
        switch self {
        case .web(let address): address.text.utf8.count
        case .file(let path): path.utf8.count
        }
    }
}

/// The address of a song or station: `http` or `https`, with a host, at most ``WireLimits/addressByteCount`` bytes, and
/// without blanks or control characters.
///
/// It may hold credentials. It says nothing of where its host is: whoever opens it judges that.
public struct WebAddress: Hashable, Sendable {
    public let text: String

    /// Returns nil if the text is not such an address.
    public init?(_ text: String) {
        let shown = text.withoutCredentials
        guard text.utf8.count <= WireLimits.addressByteCount, !text.utf8.contains(UInt8(ascii: " ")),
            String(displaying: text, maximumByteCount: WireLimits.addressByteCount) == text,
            // What is shown of it is an address too.
            Self.hasHost(text), Self.hasHost(shown), shown.withoutCredentials == shown
        else { return nil }
        self.init(unchecked: text)
    }

    private init(unchecked text: String) { self.text = text }

    private static func hasHost(_ text: String) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: text.lowercased().hasPrefix) else { return false }
        let authority = text.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        return host.first.map { $0 != UInt8(ascii: ":") } ?? false
    }

    /// The same address without its credentials. Everything that others see goes through here.
    public var withoutCredentials: WebAddress { WebAddress(unchecked: text.withoutCredentials) }
}

extension WebAddress: CustomStringConvertible {
    public var description: String { text.withoutCredentials }
}
