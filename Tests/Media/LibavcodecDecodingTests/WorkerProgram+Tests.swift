import Glibc
import LibavcodecDecoding

extension WorkerProgram {
    struct NotBuilt: Error, CustomStringConvertible {
        var description: String
    }

    /// The test tool that is a worker, beside the program that runs the tests.
    static var ofTests: WorkerProgram {
        get throws(NotBuilt) {
            for line in maps where line.hasSuffix(".xctest") {
                let directory = line[..<(line.lastIndex(of: "/") ?? line.startIndex)]
                let path = String(directory) + "/decode-worker"
                if access(path, X_OK) == 0 { return WorkerProgram(path: path) }
            }
            throw NotBuilt(description: "no program 'decode-worker' beside the tests")
        }
    }

    /// Paths of the files that this process has mapped: the bundle of tests may be a library or the program itself.
    private static var maps: Set<String> {
        guard let file = fopen("/proc/self/maps", "r") else { return [] }
        defer { fclose(file) }
        var paths: Set<String> = []
        var line = [CChar](repeating: 0, count: 5_000)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let start = text.firstIndex(of: "/") { paths.insert(String(text[start...])) }
        }
        return paths
    }
}
