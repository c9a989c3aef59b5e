import AudioCore
import WireProtocol

/// The types of the services that this process announces (RFC 6763 section 7).
enum ServiceType: String, CaseIterable {
    case peer = "_tutti._tcp"
    /// Registered for pages that browsers can show to a person (IANA's registry of service names: "http").
    case page = "_http._tcp"
    /// The same by TLS ("https").
    case securePage = "_https._tcp"
}

/// A service as it is announced.
struct ServiceAdvertisement: Hashable, Sendable {
    let type: ServiceType
    /// The instance's name: at most 63 bytes of UTF-8 (RFC 6763 section 4.1.1), and not empty.
    var name: String
    let port: UInt16
    let txtStrings: [[UInt8]]

    init(_ peer: PeerAdvertisement) {
        let name = String(displaying: peer.record.name, maximumByteCount: WireLimits.peerNameByteCount)
        self.init(type: .peer, name: name, port: peer.port, txtStrings: peer.record.txtStrings)
    }

    /// The key `path` is that of the type `http`, and of `https` alike.
    init(_ page: PageAdvertisement) {
        var txt = TXTRecord()
        txt.append("path", "/")
        let name = page.name.isEmpty ? "" : "Tutti: \(page.name)"
        self.init(
            type: page.isSecure ? .securePage : .page,
            name: String(displaying: name, maximumByteCount: WireLimits.peerNameByteCount),
            port: page.port, txtStrings: txt.strings)
    }

    private init(type: ServiceType, name: String, port: UInt16, txtStrings: [[UInt8]]) {
        self.type = type
        self.name = name.isEmpty ? "Tutti" : name
        self.port = port
        self.txtStrings = txtStrings
    }
}
