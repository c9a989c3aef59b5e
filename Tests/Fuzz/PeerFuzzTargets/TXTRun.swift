import AudioCore
import Discovery
import Peering
import WireProtocol

/// What mDNS brings: TXT records, services that come and go, addresses.
struct TXTRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        var reader = InputReader(input)
        return switch reader.byte() % 3 {
        case 0: recordViolation(&reader)
        case 1: DirectoryRun().violation(&reader)
        default: addressViolation(&reader)
        }
    }

    // MARK: Records

    /// A record's strings as they travel: each after a byte that says how long it is.
    private func recordViolation(_ reader: inout InputReader) -> String? {
        var strings: [[UInt8]] = []
        while !reader.isEmpty { strings.append(reader.bytes(Int(reader.byte()))) }
        guard let record = PeerRecord(txtStrings: strings) else { return nil }
        if record.name.utf8.count > WireLimits.peerNameByteCount { return "a name of \(record.name.utf8.count) bytes" }
        if strings.count < DiscoveryLimits.txtStringCount,
            PeerRecord(txtStrings: strings + [Array("later=1".utf8)]) != record
        {
            return "an unknown key changes the record"
        }
        let again = record.txtStrings
        if again.contains(where: { $0.count > DiscoveryLimits.txtStringByteCount }) { return "a string is too long" }
        // RFC 6763 section 6.2.
        if again.reduce(0, { $0 + 1 + $1.count }) > 400 { return "the record is too long: \(again)" }
        return PeerRecord(txtStrings: again) == record ? nil : "another record when it is said again: \(record)"
    }

    // MARK: Addresses

    /// What a user writes, and what an address is written as.
    private func addressViolation(_ reader: inout InputReader) -> String? {
        let address =
            reader.byte() & 1 == 0
            ? PeerAddress.v4(reader.number())
            : .v6(high: reader.number(), low: reader.number(), scope: reader.number())
        let text = String(decoding: reader.remainder(), as: UTF8.self)
        let written = NetworkAddress(host: address.description, port: 1)
        if NetworkAddress(parsing: written.description) != written { return "\(written) is read as something else" }
        if let uuid = UUIDBytes(text), UUIDBytes(uuid.description) != uuid { return "\(uuid) is read as another" }
        guard let parsed = NetworkAddress(parsing: text) else { return nil }
        if parsed.host.isEmpty || parsed.port == 0 { return "'\(text)' is taken as \(parsed)" }
        return nil
    }
}

/// Services that come and go in any order, and what the directory makes of them: nobody is found twice or lost who was
/// not there, and in the end those are known who are there.
private struct DirectoryRun {
    private var directory = PeerDirectory()
    private var present: [ServiceKey: (service: PeerService, generation: Int)] = [:]
    private var generation = 0
    /// As the events tell.
    private var told: [PeerService: DiscoveredPeer] = [:]

    consuming func violation(_ reader: inout InputReader) -> String? {
        while !reader.isEmpty {
            if let violation = step(&reader) { return violation }
        }
        return takeEvents()
    }

    private mutating func step(_ reader: inout InputReader) -> String? {
        let operation = reader.byte()
        let name = "peer \(operation >> 7)"
        let key = ServiceKey(
            interface: Int32(operation >> 4 & 3), protocolNumber: Int32(operation >> 6 & 1), name: name,
            domain: "local")
        switch operation & 15 {
        case 0..<8:
            let (sighting, service) = sighting(of: name, &reader)
            directory.resolved(key, sighting)
            present[key] = (service, generation)
        case 8:
            directory.resolved(key, nil)
            present[key] = nil
        case 9, 10:
            directory.removed(key)
            present[key] = nil
        case 11:
            directory.confirm(key)
            present[key]?.generation = generation
        case 12:
            directory.beginGeneration()
            generation += 1
        case 13:
            directory.dropUnconfirmed()
            present = present.filter { $0.value.generation == generation }
        default: return takeEvents()
        }
        return nil
    }

    private func sighting(of name: String, _ reader: inout InputReader) -> (ServiceSighting, PeerService) {
        let choice = reader.byte()
        let instance = UInt64(choice & 3)
        let record = PeerRecord(
            id: UUIDBytes(high: 1, low: instance), instance: instance, name: choice & 4 == 0 ? "" : "Other",
            roles: .listener, protocolVersion: 1)
        let address =
            choice & 8 == 0
            ? PeerAddress.v4(0x0A00_0000 | UInt32(reader.byte()))
            : .v6(high: 0xFE80 << 48, low: UInt64(reader.byte()), scope: UInt32(choice >> 6))
        let port = UInt16(choice >> 4 & 3)
        let service = PeerService(
            instance: instance, peer: record.id, name: name, domain: "local", hostName: "host.local", port: port)
        return (ServiceSighting(record: record, hostName: "host.local", address: address, port: port), service)
    }

    private mutating func takeEvents() -> String? {
        for event in directory.takeEvents() {
            switch event {
            case .found(let peer):
                if told.updateValue(peer, forKey: peer.service) != nil { return "\(peer) is found twice" }
            case .changed(let peer):
                let before = told.updateValue(peer, forKey: peer.service)
                if before == nil || before == peer { return "\(peer) did not change" }
            case .lost(let service):
                if told.removeValue(forKey: service) == nil { return "\(service) is lost, and was not there" }
            default: return "\(event)"
            }
        }
        if told != directory.peers { return "told of \(told), known are \(directory.peers)" }
        if Set(told.keys) != Set(present.values.map(\.service)) { return "there are \(present), known \(told)" }
        for peer in told.values {
            if peer.addresses.isEmpty || peer.addresses.count > DiscoveryLimits.addressCount
                || Set(peer.addresses).count != peer.addresses.count
            {
                return "addresses of \(peer)"
            }
        }
        return nil
    }
}

extension TXTRun {
    static var seeds: [[UInt8]] {
        let record = PeerRecord(
            id: UUIDBytes(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF), instance: 0x0102_0304_0506_0708,
            name: "Küche", roles: [.broadcaster, .listener], protocolVersion: 1,
            startedUnixMilliseconds: 1_700_000_000_000)
        let strings = record.txtStrings.flatMap { [UInt8($0.count)] + $0 }
        let services: [UInt8] = [0x00, 0x00, 1, 0x10, 0x08, 2, 0x40, 0x41, 3, 14, 12, 11, 13, 14, 0x10, 1, 9, 9, 15, 8]
        let texts = ["[fe80::1%3]:28884", "kitchen.local:7", "00112233-4455-6677-8899-aabbccddeeff", "10.0.0.1"]
        return [[0] + strings, [1] + services]
            + texts.map { [2, 1] + Array(repeating: 0x11, count: 20) + Array($0.utf8) }
    }
}
