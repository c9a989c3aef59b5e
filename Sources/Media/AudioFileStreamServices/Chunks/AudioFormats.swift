import AudioCore

/// Checks that all containers share.
enum AudioFormats {
    static func check(sampleRate: Double, channels: Int) throws(AudioStreamError) {
        guard Limits.channelRange.contains(channels) else { throw .unsupportedDataFormat("\(channels) channels") }
        guard Limits.sampleRateRange.contains(sampleRate) else {
            let isNumber = sampleRate.magnitude < 1e15
            throw .unsupportedDataFormat("a sample rate of \(isNumber ? "\(Int(sampleRate))" : "\(sampleRate)") Hz")
        }
    }
}

extension AudioStreamFormat {
    /// Returns the format of linear PCM cut into packets.
    static func packedPCM(
        sampleRate: Double, channels: Int, bits: Int, bytesPerSample: Int, layout: PCMLayout
    ) -> AudioStreamFormat {
        var format = linearPCM(
            sampleRate: sampleRate, channels: channels, bitsPerChannel: bits, bytesPerSample: bytesPerSample,
            layout: layout)
        format.framesPerPacket = PCMPackets.frameCount(sampleRate: sampleRate)
        format.bytesPerPacket = format.framesPerPacket * format.bytesPerFrame
        return format
    }

    /// Returns the format of G.711, one byte per sample, cut into packets.
    static func packed(_ codec: Codec, sampleRate: Double, channels: Int) -> AudioStreamFormat {
        let framesPerPacket = PCMPackets.frameCount(sampleRate: sampleRate)
        return AudioStreamFormat(
            codec: codec, sampleRate: sampleRate, bytesPerPacket: framesPerPacket * channels,
            framesPerPacket: framesPerPacket, bytesPerFrame: channels, channelsPerFrame: channels, bitsPerChannel: 8)
    }

    /// Returns the format of Apple's IMA 4:1: 64 frames in 34 bytes per channel (QuickTime File Format, "IMA 4:1").
    static func ima4(sampleRate: Double, channels: Int) -> AudioStreamFormat {
        AudioStreamFormat(
            codec: .ima4, sampleRate: sampleRate, bytesPerPacket: 34 * channels, framesPerPacket: 64,
            channelsPerFrame: channels)
    }
}
