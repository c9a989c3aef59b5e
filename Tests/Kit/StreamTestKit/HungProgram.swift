import Glibc

/// A program that does nothing for a day, and can be told from all others that run.
public struct HungProgram: Sendable {
    public let path = "/bin/sleep"
    public let arguments: [String]

    public init() { arguments = ["86400.\(UInt64.random(in: 1 << 50 ... .max))"] }

    /// Processes of it that run.
    public var processIDs: [Int32] {
        guard let directory = opendir("/proc") else { return [] }
        defer { closedir(directory) }
        var found: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let number = Int32(name), Self.commandLine(of: number).contains(arguments[0]) else { continue }
            found.append(number)
        }
        return found
    }

    /// Empty for a process that has ended, also where nobody has waited for it.
    private static func commandLine(of process: Int32) -> String {
        guard let file = fopen("/proc/\(process)/cmdline", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
