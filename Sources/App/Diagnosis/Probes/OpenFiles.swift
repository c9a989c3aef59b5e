import AudioCore
import Glibc

/// Which programs hold which sockets and sound devices, as far as this user may see: one walk through /proc.
struct OpenFiles: Sendable {
    /// A program that holds something.
    struct Holder: Hashable, Sendable {
        /// As it calls itself, or its user if the program cannot be seen.
        var name: String
        var process: Int32?
    }

    private var sockets: [UInt64: Holder] = [:]
    private var devices: [String: [Holder]] = [:]
    /// Whether there are processes of others that cannot be looked into.
    private(set) var isPartial = false

    private static let processLimit = 32_768
    private static let descriptorLimit = 4_096
    private static let deviceFolder = "/dev/snd/"

    /// - Parameter deadline: nothing more is looked at then.
    static func look(until isOver: () -> Bool) -> OpenFiles {
        var files = OpenFiles()
        for entry in SystemFile.names(in: "/proc", limit: processLimit) {
            guard let process = Int32(entry) else { continue }
            guard !isOver() else {
                files.isPartial = true
                break
            }
            files.note(process)
        }
        return files
    }

    private mutating func note(_ process: Int32) {
        let folder = "/proc/\(process)/fd"
        guard access(folder, R_OK | X_OK) == 0 else {
            if errno != ENOENT { isPartial = true }
            return
        }
        var holder: Holder?
        for name in SystemFile.names(in: folder, limit: Self.descriptorLimit) {
            guard let target = SystemFile.target(of: "\(folder)/\(name)") else { continue }
            let isDevice = target.hasPrefix(Self.deviceFolder)
            guard isDevice || target.hasPrefix("socket:[") else { continue }
            let known = holder ?? Holder(name: SystemFile.word("/proc/\(process)/comm") ?? "?", process: process)
            holder = known
            if isDevice {
                if devices[target]?.contains(known) != true { devices[target, default: []].append(known) }
            } else if let inode = UInt64(target.dropFirst("socket:[".count).dropLast()) {
                sockets[inode] = known
            }
        }
    }

    func holder(ofSocket inode: UInt64) -> Holder? { sockets[inode] }

    /// Who has sound devices open for playing, but this process.
    var players: [Holder] {
        devices.filter { $0.key.hasPrefix(Self.deviceFolder + "pcm") && $0.key.hasSuffix("p") }
            .flatMap(\.value).filter { $0.process != getpid() }
            .sorted { ($0.process ?? 0) < ($1.process ?? 0) }
    }
}

/// A socket that is bound to a port.
struct BoundSocket: Hashable, Sendable {
    var port: UInt16
    var inode: UInt64
    var user: UInt32

    /// Of one protocol, by /proc/net (proc(5)): `tcp` (those that listen), `tcp6`, `udp`, `udp6`.
    static func all(_ protocolName: String) -> [BoundSocket] {
        SystemFile.lines("/proc/net/\(protocolName)").dropFirst().compactMap {
            BoundSocket(line: $0, onlyListening: protocolName.hasPrefix("tcp"))
        }
    }

    /// `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode`; 0A is LISTEN.
    init?(line: Substring, onlyListening: Bool) {
        let words = line.split(separator: " ")
        guard words.count > 9, let port = words[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }),
            let user = UInt32(words[7]), let inode = UInt64(words[9]), !onlyListening || words[3] == "0A"
        else { return nil }
        self.port = port
        self.user = user
        self.inode = inode
    }
}

extension OpenFiles {
    /// The programs that have a port, each once.
    func holders(ofPort port: UInt16, _ protocolNames: [String]) -> [Holder] {
        var holders: [Holder] = []
        for socket in protocolNames.flatMap(BoundSocket.all) where socket.port == port && socket.inode != 0 {
            let holder = holder(ofSocket: socket.inode) ?? Holder(name: Self.userName(socket.user), process: nil)
            if !holders.contains(holder), holder.process != getpid() { holders.append(holder) }
        }
        return holders
    }

    private static func userName(_ user: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4_096)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name else {
            return "user \(user)"
        }
        return String(heard: String(cString: name))
    }
}
