import NIOCore
import NIOSSL

/// A chain of certificates and the private key of its first one: by it a ``WebServer`` speaks https (RFC 9110 section
/// 4.2.2), by TLS 1.2 or 1.3. Safe to use from any thread.
public struct WebCertificate: Sendable {
    /// The DNS names that the certificate proves (RFC 5280 section 4.2.1.6), in its order and in lower case. One that
    /// begins with `*.` stands for every name with one label in place of the asterisk (RFC 6125 section 6.4.3).
    public let names: [String]
    /// From when it is valid, in seconds since 1970.
    public let begins: Int64
    /// Until when it is valid, in seconds since 1970.
    public let ends: Int64
    let context: NIOSSLContext

    /// How long a connection that this side ends waits for the client's farewell (RFC 8446 section 6.1).
    private static let farewellTime = TimeAmount.seconds(1)
    /// The one protocol that is offered (RFC 7301).
    private static let applicationProtocol = "http/1.1"

    /// Parses it, and checks that the key is the certificate's. Takes milliseconds: not on an event loop.
    /// - Parameters:
    ///   - chain: PEM (RFC 7468): the server's certificate, then those that lead to one that browsers trust.
    ///   - key: PEM, without a passphrase; nil if it stands with the chain.
    public init(chain: [UInt8], key: [UInt8]? = nil) throws(WebCertificateError) {
        let certificates = try Self.certificates(in: chain)
        let privateKey = try Self.privateKey(in: key ?? chain)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = [Self.applicationProtocol]
        configuration.shutdownTimeout = Self.farewellTime
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch NIOSSLError.failedToLoadPrivateKey {
            throw .keyOfAnother
        } catch {
            throw .unsupported
        }
        names = Self.names(of: certificates[0])
        begins = Int64(certificates[0].notValidBefore)
        ends = Int64(certificates[0].notValidAfter)
    }

    /// - Returns: one at least.
    private static func certificates(in pem: [UInt8]) throws(WebCertificateError) -> [NIOSSLCertificate] {
        guard pem.holds("-----BEGIN CERTIFICATE-----") || pem.holds("-----BEGIN TRUSTED CERTIFICATE-----"),
            let found = try? NIOSSLCertificate.fromPEMBytes(pem), !found.isEmpty
        else { throw .noCertificate }
        return found
    }

    private static func privateKey(in pem: [UInt8]) throws(WebCertificateError) -> NIOSSLPrivateKey {
        guard pem.holds("PRIVATE KEY-----") else { throw .noKey }
        if pem.holds("-----BEGIN ENCRYPTED PRIVATE KEY-----") || pem.holds("Proc-Type: 4,ENCRYPTED") {
            throw .encryptedKey
        }
        guard let key = try? NIOSSLPrivateKey(bytes: pem, format: .pem) else { throw .noKey }
        return key
    }

    private static func names(of certificate: NIOSSLCertificate) -> [String] {
        certificate._subjectAlternativeNames().compactMap { name in
            guard name.nameType == .dnsName else { return nil }
            let text = name.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
            return HostNames.isName(text.hasPrefix("*.") ? text.dropFirst(2) : text[...]) ? text : nil
        }
    }
}

/// Why there is no ``WebCertificate``.
public enum WebCertificateError: Error, Hashable {
    /// There is no certificate in PEM, or one of the chain is damaged.
    case noCertificate
    /// There is no private key in PEM, or it is damaged.
    case noKey
    /// The private key takes a passphrase.
    case encryptedKey
    /// The private key is another certificate's.
    case keyOfAnother
    /// Its kind of key does not serve for TLS.
    case unsupported
}

extension [UInt8] {
    fileprivate func holds(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, count >= wanted.count else { return false }
        return indices.dropLast(wanted.count - 1).contains { index in
            self[index] == first && self[index...].starts(with: wanted)
        }
    }
}
