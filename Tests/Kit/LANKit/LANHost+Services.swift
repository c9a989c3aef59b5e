extension LANHost {
    /// Asks the network which services of a type there are: by multicast, as a program does that has no mDNS of its own
    /// (RFC 6762 section 5.1), past this host's avahi-daemon and its cache. Takes a second or two.
    /// - Parameter type: for example `_http._tcp`.
    /// - Returns: for each of them "NAME PORT TEXT" with the first string of its TXT record, sorted.
    public func services(ofType type: String) throws -> [String] {
        let (status, output) = try run(["python3", "-c", serviceQuery, type])
        guard status == .exited(0) else { throw LANError.commandFailed("the query for \(type): \(output)") }
        return output.split(separator: "\n").map(String.init)
    }
}

/// Record types by RFC 1035 section 3.2.2 and RFC 2782; messages by RFC 1035 section 4.1.
private let serviceQuery = """
    import socket, struct, sys, time

    PTR, TXT, SRV = 12, 16, 33
    peers = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def read_name(packet, at):
        labels, end = [], None
        while packet[at]:
            if packet[at] >= 0xC0:
                end = end or at + 2
                at = (packet[at] & 0x3F) << 8 | packet[at + 1]
            else:
                labels.append(packet[at + 1:at + 1 + packet[at]].decode())
                at += 1 + packet[at]
        return labels, end or at + 1

    def records(packet):
        questions, *counts = struct.unpack('>4H', packet[4:12])
        at = 12
        for _ in range(questions):
            at = read_name(packet, at)[1] + 4
        for _ in range(sum(counts)):
            name, at = read_name(packet, at)
            kind, _, _, size = struct.unpack('>2HIH', packet[at:at + 10])
            yield name, kind, at + 10
            at += 10 + size

    def ask(name, kind):
        labels = b''.join(bytes([len(label.encode())]) + label.encode() for label in name)
        question = struct.pack('>6H', kind, 0, 1, 0, 0, 0) + labels + struct.pack('>B2H', 0, kind, 1)
        peers.sendto(question, ('224.0.0.251', 5353))
        end = time.monotonic() + 0.5
        while (left := end - time.monotonic()) > 0:
            peers.settimeout(left)
            try:
                packet = peers.recv(9000)
            except socket.timeout:
                return
            for found, found_kind, at in records(packet):
                if (found, found_kind) == (name, kind):
                    yield packet, at

    type = sys.argv[1].split('.') + ['local']
    names = {tuple(read_name(packet, at)[0]) for packet, at in ask(type, PTR)}
    for name in sorted(names):
        ports = {struct.unpack('>H', packet[at + 4:at + 6])[0] for packet, at in ask(list(name), SRV)}
        texts = {packet[at + 1:at + 1 + packet[at]].decode() for packet, at in ask(list(name), TXT)}
        for port in sorted(ports):
            for text in sorted(texts):
                print(name[0], port, text)
    """
