import Glibc

/// What `Scripts/fuzz` keeps in the repository.
public enum KeptInputs {
    private static let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Fuzz"

    /// Inputs that reach most of a target's code: in the file one a line, in hexadecimal.
    public static func corpus(of target: String) -> [[UInt8]] {
        let lines = contents(of: folder + "/Corpus/" + target + ".hex") ?? []
        return lines.split(separator: UInt8(ascii: "\n")).map { line in
            stride(from: line.startIndex, to: line.endIndex - 1, by: 2).map { place in
                digit(line[place]) << 4 | digit(line[place + 1])
            }
        }
    }

    /// Inputs that once broke a rule; all of them can be read.
    public static func found(for target: String) -> [[UInt8]] {
        files(in: folder + "/Found").filter { $0.contains("/" + target + "-") }.map { contents(of: $0)! }
    }

    private static func digit(_ letter: UInt8) -> UInt8 { letter < UInt8(ascii: "a") ? letter & 15 : letter - 87 }

    private static func contents(of path: String) -> [UInt8]? {
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
