import Glibc

/// A real web server on loopback, which serves the files of a directory in ways that its script lists. Ends with its
/// last reference, or with this process.
public final class WebServer {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    private let output: UnsafeMutablePointer<FILE>
    private let process: pid_t
    private let port: Int
    private let tlsPort: Int
    private let log: String

    /// - Parameters:
    ///   - certificate: for TLS, as PEM files.
    public init(directory: String, certificate: (path: String, key: String)? = nil) throws(Failure) {
        let script = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/serve.py"
        var command = "exec python3 '\(script)' '\(directory)'"
        if let certificate { command += " '\(certificate.path)' '\(certificate.key)'" }
        guard let output = popen(command + " </dev/null", "re") else {
            throw Failure(description: "cannot start \(command)")
        }
        self.output = output
        let text = Self.line(of: output) ?? ""
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 4, let process = pid_t(words[0]), let port = Int(words[1]), let tlsPort = Int(words[2])
        else {
            pclose(output)
            throw Failure(description: "\(command) said '\(text)'; this test needs python3: Scripts/test installs it")
        }
        (self.process, self.port, self.tlsPort, log) = (process, port, tlsPort, words[3])
        // Whatever proxy the machine has is not for this one.
        setenv("no_proxy", "127.0.0.1", 1)
    }

    deinit {
        kill(process, SIGKILL)
        pclose(output)
    }

    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    public func tlsURL(_ path: String) -> String { "https://127.0.0.1:\(tlsPort)/\(path)" }

    /// What was asked for until now: path, a blank, the value of Range.
    public var requests: [String] {
        guard let file = fopen(log, "r") else { return [] }
        defer { fclose(file) }
        var requests: [String] = []
        while let line = Self.line(of: file) { requests.append(line) }
        return requests
    }

    /// The next line without its end.
    private static func line(of file: UnsafeMutablePointer<FILE>) -> String? {
        var (line, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        defer { free(line) }
        guard getline(&line, &capacity, file) > 0, let line else { return nil }
        return String(String(cString: line).prefix { $0 != "\n" })
    }
}
