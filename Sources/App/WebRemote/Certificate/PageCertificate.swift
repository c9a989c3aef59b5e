import WebServer
import WireProtocol

/// The certificate of a page that is served by https, and the files from which it was read.
public struct PageCertificate: Sendable {
    /// Where it is.
    public struct Files: Hashable, Sendable {
        /// PEM: the certificate and those that lead to one that browsers trust.
        public var certificate: String
        /// PEM, without a passphrase; nil if the key stands with the certificate.
        public var key: String?

        public init(certificate: String, key: String? = nil) {
            self.certificate = certificate
            self.key = key
        }

        /// Where the key is.
        var keyPath: String { key ?? certificate }

        /// Of both.
        var stamps: [FileStamp?] { [certificate, keyPath].map { FileStamp(path: $0) } }
    }

    let files: Files
    /// As the files were before they were read.
    let stamps: [FileStamp?]
    let certificate: WebCertificate
    /// What is to be said of it, one line each: it is out of date, or others can read the key.
    public let warnings: [String]

    /// Reads it. May wait for a disk.
    public init(_ files: Files) throws(PageCertificateError) { try self.init(files, now: WallClock.seconds()) }

    /// - Parameter now: in seconds since 1970.
    init(_ files: Files, now: Int64) throws(PageCertificateError) {
        self.files = files
        stamps = files.stamps
        let chain = try SmallFile(path: files.certificate)
        let key = try files.key.map { path throws(PageCertificateError) in try SmallFile(path: path) }
        do throws(WebCertificateError) {
            certificate = try WebCertificate(chain: chain.bytes, key: key?.bytes)
        } catch {
            throw PageCertificateError(.unusable, Self.sentence(error, files))
        }
        var warnings: [String] = []
        if (key ?? chain).isReadByOthers {
            warnings.append("every user of this machine can read the private key in \(files.keyPath): chmod o-r it")
        }
        if now > certificate.ends {
            warnings.append("the certificate in \(files.certificate) has expired, and browsers warn of it: renew it")
        } else if now < certificate.begins {
            warnings.append(
                "the certificate in \(files.certificate) is not valid yet, and browsers warn of it: look at the clock")
        }
        self.warnings = warnings
    }

    /// How browsers reach a page that has it.
    public var scheme: PageLocation.Scheme {
        .https(
            name: certificate.names.first { name in
                !name.hasPrefix("*.") && name != "localhost" && !name.hasSuffix(".localhost")
            })
    }

    private static func sentence(_ error: WebCertificateError, _ files: Files) -> String {
        switch error {
        case .noCertificate:
            "\(files.certificate) holds no certificate, or a damaged one: write a file in PEM, as 'openssl x509' and "
                + "certbot make it"
        case .noKey where files.key == nil:
            "\(files.certificate) holds no private key: name its file with --certificate-key"
        case .noKey: "\(files.keyPath) holds no private key in PEM, or a damaged one"
        case .encryptedKey:
            "the private key in \(files.keyPath) takes a passphrase: 'openssl pkey' writes it without one"
        case .keyOfAnother:
            "the private key in \(files.keyPath) is not that of the certificate in \(files.certificate), which must be "
                + "the first in its file"
        case .unsupported:
            "the certificate in \(files.certificate) does not serve for https: make one with an EC or RSA key"
        }
    }
}

/// Why there is no certificate: one line, which says what to do.
public struct PageCertificateError: Error, Hashable {
    public enum Kind: Hashable, Sendable {
        /// A file is missing, or cannot be read.
        case unreadable
        /// What it holds is no certificate with its key.
        case unusable
    }

    public let kind: Kind
    public let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
