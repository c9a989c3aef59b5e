import TuttiRuntime

/// The flags that become an ``OutputSelection``.
enum OutputFlags {
    static let device = CommandSyntax.Option.value(
        "--device", "NAME", candidates: .names(.playbackDevices),
        "ALSA device to play on, as 'tutti devices' lists them. Default: default.")
    static let output = CommandSyntax.Option.value(
        "--output", "null|file:OUT.wav", candidates: .output,
        "Instead of a sound card: play to nowhere, or into a WAVE file, at the clock's pace.")
    static let options = [device, output]

    /// Returns nil if neither flag was given.
    static func parse(_ arguments: CommandArguments) throws(UsageError) -> OutputSelection? {
        let device = arguments.value(of: Self.device)
        guard let output = arguments.value(of: Self.output) else {
            guard device != "" else { throw UsageError(valueOf: Self.device.name, "the name is empty") }
            return device.map { .device(name: $0) }
        }
        guard device == nil else { throw UsageError(exclusive: options) }
        if output == "null" { return .null }
        guard output.hasPrefix("file:"), output.utf8.count > 5 else {
            throw UsageError(Self.output, "takes null or file:OUT.wav, not '\(output)'")
        }
        return .file(path: String(output.dropFirst(5)))
    }
}
