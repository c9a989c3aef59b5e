import Glibc

extension SoftwareCard {
    /// The name under which ALSA opens this very card, under any configuration that this kit wrote.
    public var deviceName: String {
        let arguments = arguments.map { "\($0.name)='\($0.value)'" }
        return (rewinds == .refused ? "resampled:" : "card:") + arguments.joined(separator: ",")
    }

    /// Writes an asoundrc for `ALSA_CONFIG_PATH`.
    /// - Parameter card: what `default` is; without it the default is the system's.
    public static func writeConfiguration(to path: String, default card: SoftwareCard?) throws {
        try writeWhole(configuration(default: card), to: path)
    }

    /// The plugin that SwiftPM built beside the running executable.
    public static var libraryPath: String { executableDirectory + "/libSoftwareSoundCard.so" }

    private var arguments: [(name: String, value: String)] {
        [
            ("PPM", "\(ppm)"), ("BURST", "\(burstMicroseconds)"), ("LATENCY", "\(latencyMicroseconds)"),
            ("COARSE", isCoarse ? "yes" : "no"), ("REALTIME", isRealTime ? "yes" : "no"),
            ("RECORDING", recording), ("CONTROL", control), ("FORMATS", formats.joined(separator: " ")),
            ("RATES", rates.map(String.init).joined(separator: " ")), ("CHANNELSMIN", "\(channels.lowerBound)"),
            ("CHANNELSMAX", "\(channels.upperBound)"), ("BUFFERBYTES", "\(maximumBufferByteCount)"),
            ("STAMPS", stamps.rawValue), ("REWINDS", (rewinds == .ignored ? rewinds : .given).rawValue),
            ("SOURCE", source ?? ""), ("SOURCEAT", "\(sourceTime ?? 0)"),
        ]
    }

    private static func configuration(default card: SoftwareCard?) -> String {
        let defaults = (card ?? SoftwareCard(recording: "")).arguments
        let types = [
            "PPM": "real", "BURST": "integer", "LATENCY": "integer", "CHANNELSMIN": "integer", "CHANNELSMAX": "integer",
            "BUFFERBYTES": "integer",
        ]
        let parameters = defaults.map { name, value in
            let type = types[name] ?? "string"
            return "    @args.\(name) { type \(type) default \(type == "string" ? "\"\(value)\"" : value) }\n"
        }
        let fields = """
                type tutti_card
                ppm $PPM
                burst_us $BURST
                latency_us $LATENCY
                coarse $COARSE
                realtime $REALTIME
                recording $RECORDING
                control $CONTROL
                formats $FORMATS
                rates $RATES
                channels_min $CHANNELSMIN
                channels_max $CHANNELSMAX
                buffer_bytes_max $BUFFERBYTES
                stamps $STAMPS
                rewinds $REWINDS
                source $SOURCE
                source_at $SOURCEAT
            """
        let names = defaults.map(\.name).joined(separator: " ")
        return """
            </usr/share/alsa/alsa.conf>
            pcm_type.tutti_card { lib "\(libraryPath)" }
            pcm.card {
                @args [ \(names) ]
            \(parameters.joined())\(fields)
                hint { show on description "Software sound card" }
            }
            pcm.resampled {
                @args [ \(names) ]
            \(parameters.joined())
                type rate
                converter "linear"
                slave {
                    rate 48000
                    pcm {
            \(fields)
                    }
                }
            }
            \(card == nil ? "" : "pcm.!default \"card\"")

            """
    }

    static var executableDirectory: String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
