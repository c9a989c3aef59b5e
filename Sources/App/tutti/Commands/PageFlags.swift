import TuttiRuntime
import WebRemote

/// The flags of the page for browsers.
enum PageFlags {
    static let noWeb = CommandSyntax.Option.flag("--no-web", "Serve no page for browsers.")
    static let port = CommandSyntax.Option.value(
        "--web-port", "N",
        "TCP port of the page for browsers. Default \(WebOptions.standardPort), or one of the next four if that is "
            + "taken.")
    static let certificate = CommandSyntax.Option.value(
        "--certificate", "FILE",
        "Serve the page by https with this certificate: PEM, with those that lead to one that browsers trust, and with its "
            + "private key or --certificate-key. A renewed file is taken without a restart. Browsers may call this "
            + "machine by the certificate's names, too.")
    static let certificateKey = CommandSyntax.Option.value(
        "--certificate-key", "FILE", "The private key of --certificate, if that file does not hold it.")
    static let certificateOptions = [certificate, certificateKey]
    static let options = [noWeb, port] + certificateOptions

    /// Nil where there is to be no page.
    static func parse(_ arguments: CommandArguments) throws(UsageError) -> WebOptions? {
        let wanted = try arguments.integer(port, in: 1...65_535).map { UInt16($0) }
        guard !arguments.has(noWeb) else {
            for option in [port, certificate, certificateKey] where arguments.value(of: option) != nil {
                throw UsageError(exclusive: [noWeb, option])
            }
            return nil
        }
        var options = WebOptions()
        if let wanted { (options.port, options.portCount) = (wanted, 1) }
        return options
    }

    /// Where the page's certificate is; nil for a page by plain HTTP.
    static func certificateFiles(_ arguments: CommandArguments) throws(UsageError) -> PageCertificate.Files? {
        let key = arguments.value(of: certificateKey)
        guard let path = arguments.value(of: certificate) else {
            guard key == nil else {
                throw UsageError(
                    "\(certificateKey.name) goes with \(certificate.name)", unfitting: [certificateKey])
            }
            return nil
        }
        guard !path.isEmpty else { throw UsageError(valueOf: certificate.name, "the name is empty") }
        guard key?.isEmpty != true else { throw UsageError(valueOf: certificateKey.name, "the name is empty") }
        return PageCertificate.Files(certificate: path, key: key)
    }

    /// Reads the certificate, before anything begins that would have to go on without it.
    static func certificate(in files: PageCertificate.Files?) throws(RuntimeFailure) -> PageCertificate? {
        guard let files else { return nil }
        do throws(PageCertificateError) {
            return try PageCertificate(files)
        } catch {
            let kind: RuntimeFailure.Kind =
                switch error.kind {
                case .unreadable: .missingInput
                case .unusable: .unusableInput
                }
            throw RuntimeFailure(kind, .other(error.message))
        }
    }
}
