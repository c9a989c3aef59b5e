import Glibc

/// What a process has used of the machine so far, as Linux's /proc tells (proc(5)).
struct ProcessUse {
    var cpuSeconds: Double
    var residentMegabytes: Double

    /// - Parameter pid: as seen from here.
    init?(pid: pid_t) {
        // The second field, the name, may hold spaces; what follows its parenthesis is numbers.
        guard let stat = Self.read("/proc/\(pid)/stat"), let end = stat.lastIndex(of: ")"),
            let status = Self.read("/proc/\(pid)/status"),
            let resident = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        // utime and stime are the 14th and 15th field; these begin with the third.
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]),
            let kilobytes = resident.split(whereSeparator: \.isWhitespace).compactMap({ Double($0) }).first
        else { return nil }
        cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        residentMegabytes = kilobytes / 1_024
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
