import AudioCore

extension LevelEnvelope {
    /// One object: for each channel its intervals' peaks and root mean squares in dBFS; silence is null.
    public var json: JSONValue {
        .object([
            "intervalSeconds": .number(interval.seconds, decimals: 3),
            "peak": .array(perChannel(\.peak)), "rms": .array(perChannel(\.rms)),
        ])
    }

    private func perChannel(_ byte: (Level) -> UInt8) -> [JSONValue] {
        (0..<channelCount).map { channel in
            .array(
                (0..<intervalCount).map { index in
                    LevelScale.decibels(of: byte(level(ofInterval: index, channel: channel)))
                        .map { .number($0, decimals: 1) } ?? .null
                })
        }
    }
}
