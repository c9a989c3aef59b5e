import Glibc

/// What `Scripts/fuzz` keeps in the repository.
enum KeptInputs {
    private static let folder = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Fuzz"

    /// Inputs that reach most of a target's code.
    static func corpus(of target: String) -> [String] { files(in: folder + "/Corpus/" + target) }

    /// Inputs that once broke a rule.
    static func found(for target: String) -> [String] {
        files(in: folder + "/Found").filter { $0.contains("/" + target + "-") }
    }

    static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return Array(bytes.prefix(fread(&bytes, 1, bytes.count, file)))
    }

    private static func files(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var paths: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { paths.append(folder + "/" + name) }
        }
        return paths.sorted()
    }
}
