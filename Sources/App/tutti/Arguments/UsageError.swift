import AudioCore

/// A command line error: one line that says what to change. Shows no credentials of addresses.
///
/// Two are equal if they read the same.
struct UsageError: Error {
    /// EX_USAGE of BSD's sysexits.h.
    static let exitCode: Int32 = 64

    /// What is wrong, apart from the words of the line.
    enum Concern: Sendable {
        /// Something else: an operand, or what is missing.
        case line
        /// The value of one option, or of an operand that is a key of the configuration. The text says what is wrong
        /// with it, without its name.
        case value(of: String, problem: String)
        /// Of these only some can be given.
        case exclusive([String])
        /// None of these is for what the command is asked to do.
        case unfitting([String])
    }

    let message: String
    let concern: Concern

    init(_ message: String) {
        self.message = message.withoutCredentials
        concern = .line
    }

    /// Rejects an option's value: `--port takes a whole number, not 'x'`.
    init(_ option: CommandSyntax.Option, _ problem: String) {
        self.init("\(option.name) \(problem)", .value(of: option.name, problem: problem))
    }

    /// Rejects a value: `--name: a name is empty`.
    /// - Parameter name: the option's, or the operand's.
    init(valueOf name: String, _ problem: String) {
        self.init("\(name): \(problem)", .value(of: name, problem: problem))
    }

    /// Rejects two options of which one can be given.
    init(exclusive options: [CommandSyntax.Option]) {
        self.init(
            options.map(\.name).joined(separator: " and ") + " exclude each other", exclusive: options.map(\.name))
    }

    /// - Parameter names: those of the options of which only some can be given, and of such operands.
    init(_ message: String, exclusive names: [String]) { self.init(message, .exclusive(names)) }

    /// Rejects options that are not for what the command is asked to do.
    init(_ message: String, unfitting options: [CommandSyntax.Option]) {
        self.init(message, .unfitting(options.map(\.name)))
    }

    private init(_ message: String, _ concern: Concern) {
        self.message = message.withoutCredentials
        self.concern = concern
    }
}

extension UsageError: Hashable {
    static func == (a: UsageError, b: UsageError) -> Bool { a.message == b.message }

    func hash(into hasher: inout Hasher) { hasher.combine(message) }
}
