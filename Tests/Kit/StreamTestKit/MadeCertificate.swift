/// A certificate that signed itself, with its key, as files in PEM.
public struct MadeCertificate: Sendable {
    public let certificatePath: String
    public let keyPath: String

    /// - Parameters:
    ///   - names: alternative names as openssl writes them: `DNS:music.example.org`, `IP:192.0.2.1`.
    ///   - name: of the files.
    public init(
        _ names: [String], named name: String = "page", in directory: borrowing TemporaryDirectory
    ) throws(Tool.Failure) {
        let alternatives = names.isEmpty ? "" : " -addext subjectAltName=" + names.joined(separator: ",")
        try Tool.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=tutti "
                + "-keyout \(name).key -out \(name).pem" + alternatives, in: directory)
        certificatePath = "\(directory.path)/\(name).pem"
        keyPath = "\(directory.path)/\(name).key"
    }

    public func certificate() throws(Tool.Failure) -> [UInt8] { try Tool.readFile(certificatePath) }

    public func key() throws(Tool.Failure) -> [UInt8] { try Tool.readFile(keyPath) }
}
