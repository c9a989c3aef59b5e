import StreamTestKit
import Testing

@testable import WebServer

/// What is a certificate with its key, and what is not.
@Suite(.timeLimit(.minutes(5))) struct WebCertificateTests {
    private func failure(_ chain: [UInt8], _ key: [UInt8]? = nil) -> WebCertificateError? {
        do throws(WebCertificateError) {
            _ = try WebCertificate(chain: chain, key: key)
            return nil
        } catch {
            return error
        }
    }

    @Test func oneFileMayHoldBoth() throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(
            ["DNS:Music.example.org", "IP:192.0.2.1", "DNS:*.example.net", "email:a@example.org"], in: directory)
        for bytes in [try made.certificate() + made.key(), try made.key() + made.certificate()] {
            let certificate = try WebCertificate(chain: bytes)
            #expect(certificate.names == ["music.example.org", "*.example.net"])
            #expect(certificate.ends - certificate.begins == 2 * 86_400)
        }
        let bare = try MadeCertificate([], named: "bare", in: directory)
        #expect(try WebCertificate(chain: bare.certificate(), key: bare.key()).names == [])
    }

    /// What a certificate says is not trusted to be a name.
    @Test func strangeNamesAreNone() throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(
            ["DNS:a/b", "DNS:*", "DNS:x*.example.org", "DNS:192.0.2.1", "DNS:ok.example"], in: directory)
        #expect(try WebCertificate(chain: made.certificate(), key: made.key()).names == ["ok.example"])
    }

    @Test func theKeyMustBeTheCertificates() throws {
        let directory = TemporaryDirectory()
        let one = try MadeCertificate(["DNS:one"], named: "one", in: directory)
        let other = try MadeCertificate(["DNS:other"], named: "other", in: directory)
        #expect(failure(try one.certificate(), try one.key()) == nil)
        #expect(failure(try one.certificate(), try other.key()) == .keyOfAnother)
        // The server's own comes first.
        #expect(failure(try one.certificate() + other.certificate(), try one.key()) == nil)
        #expect(failure(try other.certificate() + one.certificate(), try one.key()) == .keyOfAnother)
    }

    @Test func whatIsNoneIsRefused() throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(["DNS:one"], in: directory)
        let (certificate, key) = (try made.certificate(), try made.key())
        #expect(failure([]) == .noCertificate && failure([], []) == .noCertificate && failure(key) == .noCertificate)
        #expect(failure(Array("no certificate".utf8), key) == .noCertificate)
        #expect(failure(certificate) == .noKey && failure(certificate, []) == .noKey)
        #expect(failure(certificate, certificate) == .noKey)
        for count in [30, certificate.count / 2, certificate.count - 20] {
            #expect(failure(Array(certificate.prefix(count)), key) == .noCertificate)
        }
        #expect(failure(certificate, Array(key.prefix(key.count / 2))) == .noKey)
        // A damaged certificate behind the first one is no shorter chain.
        #expect(failure(certificate + certificate.prefix(certificate.count / 2), key) == .noCertificate)
        try Tool.run("openssl pkey -in page.key -aes256 -passout pass:secret -out locked.key", in: directory)
        #expect(failure(certificate, try Tool.readFile(directory.path + "/locked.key")) == .encryptedKey)
        try Tool.run("openssl ec -in page.key -aes256 -passout pass:secret -out older.key", in: directory)
        #expect(failure(certificate, try Tool.readFile(directory.path + "/older.key")) == .encryptedKey)
    }

    @Test func anRSAKeyServesToo() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=tutti -keyout r.key -out r.pem", in: directory)
        let (chain, key) = (directory.path + "/r.pem", directory.path + "/r.key")
        #expect(failure(try Tool.readFile(chain), try Tool.readFile(key)) == nil)
    }
}
