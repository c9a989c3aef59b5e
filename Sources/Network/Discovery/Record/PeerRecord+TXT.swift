import AudioCore
import WireProtocol

// The TXT record of `_tutti._tcp`, one string per key, in this order:
//
//     key       value
//     id        UUID in lower-case text form
//     instance  16 hexadecimal digits
//     name      at most 63 bytes of UTF-8
//     role      broadcaster, listener, both, or pairing: a new machine that waits to be let into a household; none:
//               somebody who only looks whether records come through, and is no peer to anybody else
//     version   wire protocol version, decimal
//     started   milliseconds since 1970, decimal; left out if nothing was started
//
// Whoever is on the network reads it, so it says nothing of what a peer does or plays: the peer itself is asked that.
// Unknown keys are skipped, so that later versions may add some; earlier ones had some more. Without a valid id,
// instance, role and version the record is not a peer's; everything else has a default.

extension PeerRecord {
    /// Reads the strings of a TXT record. Returns nil if it is not a peer's. Never traps, whatever the strings hold.
    public init?(txtStrings: some Sequence<[UInt8]>) {
        let txt = TXTRecord(strings: txtStrings)
        guard let id = txt.value(of: "id").flatMap({ UUIDBytes(String(decoding: $0, as: UTF8.self)) }),
            let instance = txt.value(of: "instance").flatMap(UInt64.init(sixteenHexDigits:)),
            let roles = txt.value(of: "role").flatMap(PeerRoles.init(txtValue:)),
            let version = txt.value(of: "version").flatMap({ UInt32(decimalDigits: $0) })
        else { return nil }
        self.init(id: id, instance: instance, name: "", roles: roles, protocolVersion: version)
        name = String(displaying: txt.value(of: "name") ?? [], maximumByteCount: WireLimits.peerNameByteCount)
        startedUnixMilliseconds = txt.value(of: "started").flatMap { UInt64(decimalDigits: $0) }
    }

    /// The strings of the TXT record, each at most 255 bytes long; the name is cut to its limit.
    public var txtStrings: [[UInt8]] {
        var txt = TXTRecord()
        txt.append("id", id.description)
        txt.append("instance", instance.sixteenHexDigits)
        txt.append("name", String(displaying: name, maximumByteCount: WireLimits.peerNameByteCount))
        txt.append("role", roles.txtValue)
        txt.append("version", String(protocolVersion))
        if let startedUnixMilliseconds { txt.append("started", String(startedUnixMilliseconds)) }
        return txt.strings
    }
}

extension PeerRoles {
    fileprivate init?(txtValue: ArraySlice<UInt8>) {
        switch String(decoding: txtValue, as: UTF8.self) {
        case "broadcaster": self = .broadcaster
        case "listener": self = .listener
        case "both": self = [.broadcaster, .listener]
        case "pairing": self = .pairing
        case "none": self = []
        default: return nil
        }
    }

    fileprivate var txtValue: String {
        switch self {
        case .broadcaster: "broadcaster"
        case .listener: "listener"
        case .pairing: "pairing"
        case []: "none"
        default: "both"
        }
    }
}

extension UInt64 {
    fileprivate init?(sixteenHexDigits text: ArraySlice<UInt8>) {
        // `radix:` would accept a sign in front.
        guard text.count == 16, text.first != UInt8(ascii: "+"), text.first != UInt8(ascii: "-") else { return nil }
        self.init(String(decoding: text, as: UTF8.self), radix: 16)
    }

    fileprivate var sixteenHexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension FixedWidthInteger {
    fileprivate init?(decimalDigits text: ArraySlice<UInt8>) {
        guard text.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
        self.init(String(decoding: text, as: UTF8.self))
    }
}
