import Households

/// The flags that become an ``Households/AccessPolicy``: who may do what.
enum AccessFlags {
    static let listen = option("--allow-listen", "listen to this broadcast")
    static let command = option("--allow-command", "command this broadcast: play, pause, seek, skip, set volumes")
    static let broadcast = option("--allow-broadcast", "play on this machine's loudspeakers")

    private static func option(_ name: String, _ action: String) -> CommandSyntax.Option {
        .value(
            name, "WHO", candidates: .choices(["anyone", "members", "nobody"]),
            "Who may \(action): anyone, members (of this machine's household) or nobody else. Default: members; anyone, "
                + "if there is no household.")
    }

    static func parse(_ arguments: CommandArguments) throws(UsageError) -> AccessPolicy {
        var policy = AccessPolicy()
        for (option, right) in [(listen, AccessRight.listen), (command, .command), (broadcast, .broadcast)] {
            guard let text = arguments.value(of: option) else { continue }
            guard let audience = Audience(rawValue: text) else {
                throw UsageError(option, "takes anyone, members or nobody, not '\(text)'")
            }
            policy.allow(right, for: audience)
        }
        return policy
    }
}
