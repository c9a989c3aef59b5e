import Glibc
import StreamTestKit
import Testing
import WireProtocol

@testable import WebRemote

/// A page's certificate as its files hold it.
@Suite(.timeLimit(.minutes(5))) struct PageCertificateTests {
    private func failure(_ certificate: String, _ key: String? = nil) -> PageCertificateError? {
        do throws(PageCertificateError) {
            _ = try PageCertificate(PageCertificate.Files(certificate: certificate, key: key))
            return nil
        } catch {
            return error
        }
    }

    private func expect(
        _ failure: PageCertificateError?, _ kind: PageCertificateError.Kind, _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(failure?.kind == kind, sourceLocation: sourceLocation)
        let message = failure?.message ?? ""
        #expect(
            words.allSatisfy(message.contains) && !message.contains("\n"), "\(message)", sourceLocation: sourceLocation)
    }

    @Test func whatCannotBeReadIsToldByItsName() throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(["DNS:one"], in: directory)
        expect(failure(directory.path + "/none.pem"), .unreadable, "/none.pem", "No such file")
        expect(failure(made.certificatePath, directory.path + "/none.key"), .unreadable, "/none.key", "No such file")
        expect(failure(directory.path), .unreadable, "no file")
        // Nobody writes it, and nobody waits for that.
        try Tool.run("mkfifo pipe", in: directory)
        expect(failure(directory.path + "/pipe"), .unreadable, "no file")
        try Tool.writeFile(
            directory.path + "/large", try made.certificate() + [UInt8](repeating: 10, count: 256 * 1024))
        expect(failure(directory.path + "/large", made.keyPath), .unreadable, "too large")
    }

    @Test func whatIsOfNoUseSaysWhatToDo() throws {
        let directory = TemporaryDirectory()
        let one = try MadeCertificate(["DNS:one"], named: "one", in: directory)
        let other = try MadeCertificate(["DNS:other"], named: "other", in: directory)
        #expect(failure(one.certificatePath, one.keyPath) == nil)
        expect(failure(one.certificatePath), .unusable, one.certificatePath, "--certificate-key")
        expect(failure(one.keyPath), .unusable, "no certificate", "PEM")
        expect(failure(one.certificatePath, other.certificatePath), .unusable, other.certificatePath, "no private key")
        expect(failure(one.certificatePath, other.keyPath), .unusable, other.keyPath, "not that of the certificate")
        try Tool.run("openssl pkey -in one.key -aes256 -passout pass:secret -out locked.key", in: directory)
        expect(failure(one.certificatePath, directory.path + "/locked.key"), .unusable, "passphrase", "openssl pkey")
        try Tool.run("cat one.pem one.key > both.pem", in: directory)
        #expect(failure(directory.path + "/both.pem") == nil)
    }

    @Test func whatIsOutOfDateOrExposedIsWarnedOf() throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(["DNS:one"], in: directory)
        let files = PageCertificate.Files(certificate: made.certificatePath, key: made.keyPath)
        #expect(chmod(made.keyPath, 0o640) == 0 && chmod(made.certificatePath, 0o644) == 0)
        let read = try PageCertificate(files)
        #expect(read.warnings == [])
        let (begins, ends) = (read.certificate.begins, read.certificate.ends)
        for (now, word) in [(begins - 1, "not valid yet"), (begins, nil), (ends, nil), (ends + 1, "expired")] {
            let warnings = try PageCertificate(files, now: now).warnings
            #expect(warnings.count == (word == nil ? 0 : 1) && warnings.allSatisfy { $0.contains(word ?? "") })
        }
        #expect(chmod(made.keyPath, 0o644) == 0)
        let exposed = try PageCertificate(files).warnings
        #expect(exposed.count == 1 && exposed[0].contains(made.keyPath) && exposed[0].contains("chmod"))
        // The file that holds the key is the one that matters.
        try Tool.run("cat page.pem page.key > both.pem && chmod 644 both.pem", in: directory)
        let both = PageCertificate.Files(certificate: directory.path + "/both.pem")
        #expect(try PageCertificate(both).warnings.count == 1)
    }

    /// A name that leads to this machine from elsewhere.
    @Test(arguments: [
        (["DNS:music.example.org", "DNS:other.example.org"], "music.example.org"),
        (
            ["DNS:*.example.net", "DNS:localhost", "DNS:a.localhost", "IP:192.0.2.1", "DNS:Music.Example.org"],
            "music.example.org"
        ),
        (["DNS:*.example.net", "IP:192.0.2.1"], nil), ([], nil),
    ])
    func itsFirstNameIsShown(names: [String], shown: String?) throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(names, in: directory)
        let files = PageCertificate.Files(certificate: made.certificatePath, key: made.keyPath)
        #expect(try PageCertificate(files).scheme == .https(name: shown))
    }
}
