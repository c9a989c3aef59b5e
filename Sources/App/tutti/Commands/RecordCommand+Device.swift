import TuttiRuntime

/// The flags of a recording from a sound device.
enum CaptureFlags {
    static let device = CommandSyntax.Option.value(
        "--device", "NAME", candidates: .names(.captureDevices),
        "ALSA device to record, as 'tutti devices' lists them. Default: default."
    )
    // Not that on which others play.
    .scoped(.ownTable)
    static let rate = CommandSyntax.Option.value(
        "--rate", "HZ", "Sample rate of the device. Default: 48000 where it can, else the nearest.")
    static let channels = CommandSyntax.Option.value(
        "--channels", "N", "Channels of the device. Default: 2 where it can, else the nearest.")
    static let options = [device, rate, channels]

    /// - Throws: also if one was given although a broadcast is recorded.
    static func parse(
        _ arguments: CommandArguments, into options: inout DeviceRecordOptions
    ) throws(UsageError) {
        if let name = arguments.value(of: device) {
            guard !name.isEmpty else { throw UsageError(valueOf: device.name, "the name is empty") }
            options.deviceName = name
        }
        options.rate = try arguments.integer(rate, in: 8_000...192_000, unit: "hertz").map(Int.init)
        options.channelCount = try arguments.integer(channels, in: 1...8).map(Int.init)
    }

    /// Rejects flags that choose a device's format; a broadcast has its own.
    static func refuse(_ arguments: CommandArguments) throws(UsageError) {
        for option in options where arguments.value(of: option) != nil {
            throw UsageError(
                "\(option.name) is for sound devices; --from and --host record a broadcast",
                exclusive: [option.name, RecordCommand.from.name, RecordCommand.host.name])
        }
    }
}
