import TuttiRuntime
import WebRemote

/// The flags of the page for browsers.
enum PageFlags {
    static let noWeb = CommandSyntax.Option.flag("--no-web", "Serve no page for browsers.")
    static let port = CommandSyntax.Option.value(
        "--web-port", "N",
        "TCP port of the page for browsers. Default \(WebOptions.standardPort), or one of the next four if that is "
            + "taken.")
    static let options = [noWeb, port]

    /// Nil where there is to be no page.
    static func parse(_ arguments: CommandArguments) throws(UsageError) -> WebOptions? {
        let wanted = try arguments.integer(port, in: 1...65_535).map { UInt16($0) }
        guard !arguments.has(noWeb) else {
            if wanted != nil { throw UsageError(exclusive: [noWeb, port]) }
            return nil
        }
        var options = WebOptions()
        if let wanted { (options.port, options.portCount) = (wanted, 1) }
        return options
    }
}
