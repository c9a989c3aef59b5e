import Glibc

/// The programs that make test files and reference decodes. A missing one fails the test that needs it, by name.
public enum Tool {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// Runs a shell command, its output kept for the error message only.
    public static func run(_ command: String, in directory: borrowing TemporaryDirectory) throws(Failure) {
        let name = String(command.prefix { $0 != " " })
        guard system("command -v \(name) >/dev/null 2>&1") == 0 else {
            throw Failure(description: "this test needs the program '\(name)': Scripts/test installs it")
        }
        let log = directory.path + "/log"
        let status = system("cd '\(directory.path)' && { \(command) ; } </dev/null >'\(log)' 2>&1")
        guard status == 0 else {
            let text = String(decoding: (try? readFile(log)) ?? [], as: UTF8.self)
            throw Failure(description: "'\(command)' ended with \(status): \(text.suffix(2_000))")
        }
    }

    public static func readFile(_ path: String) throws(Failure) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw Failure(description: "cannot open \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    public static func writeFile(_ path: String, _ bytes: [UInt8]) throws(Failure) {
        guard let file = fopen(path, "wb"), fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0
        else { throw Failure(description: "cannot write \(path)") }
    }
}

/// A directory that goes away with its owner.
public struct TemporaryDirectory: ~Copyable {
    public let path: String

    public init() {
        var template = Array("/tmp/tutti-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp: \(String(cString: strerror(errno)))") }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { _ = system("rm -rf '\(path)'") }
}
