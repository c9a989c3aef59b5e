import AudioCore

/// What the chunks of a CAF file together say about its audio.
struct CAFTrack {
    var description: CAFDescription
    /// Offset in the file of the description chunk, and of the cookie's, for errors.
    var descriptionOffset: Int64
    var cookie: [UInt8]?
    var cookieOffset: Int64
    var table: CAFPacketTable?

    /// Returns nil while a required chunk is missing.
    func track() throws(AudioStreamError) -> AudioTrack? {
        if let format = try plainFormat() { return plain(format) }
        guard let codec = description.codec else {
            throw .unsupportedDataFormat("CAF with '\(Codec(rawValue: description.type.code))'")
        }
        let hasEqualPackets = description.bytesPerPacket > 0 && description.framesPerPacket > 0
        guard table != nil || hasEqualPackets, cookie != nil || ![.aac, .aacHE, .aacHEv2, .alac].contains(codec) else {
            return nil
        }
        var format = AudioStreamFormat(
            codec: codec, sampleRate: description.sampleRate, bytesPerPacket: description.bytesPerPacket,
            framesPerPacket: description.framesPerPacket, channelsPerFrame: description.channels)
        var formats: [AudioStreamFormat] = []
        // Frame counts and sample rate may be those of AAC's core, or of Opus at another rate than it is decoded at.
        var scale = 1
        var magicCookie: [UInt8] = []
        switch codec {
        case .aac, .aacHE, .aacHEv2:
            magicCookie = CAFCookie.aac(cookie ?? [])
            formats = try advancedAudioFormats(magicCookie)
            if let first = formats.first {
                (format.codec, format.sampleRate) = (first.codec, first.sampleRate)
                format.channelsPerFrame = first.channelsPerFrame
                if format.framesPerPacket > 0, first.framesPerPacket % format.framesPerPacket == 0 {
                    scale = first.framesPerPacket / format.framesPerPacket
                    format.framesPerPacket = first.framesPerPacket
                }
            }
        case .alac:
            guard let config = CAFCookie.alac(cookie ?? []) else {
                throw .invalidFile(
                    "CAF's cookie of Apple Lossless has \(cookie?.count ?? 0) bytes at byte \(cookieOffset)")
            }
            magicCookie = config
        case .flac:
            guard let info = CAFCookie.flac(cookie ?? []) else {
                throw .unsupportedDataFormat("CAF with FLAC that lacks its STREAMINFO")
            }
            magicCookie = info
        case .opus:
            scale = 48_000 % Int(format.sampleRate) == 0 ? 48_000 / Int(format.sampleRate) : 1
            format.sampleRate = 48_000
            format.framesPerPacket *= scale
            let preSkip = (table?.primingFrameCount ?? 0) * scale
            guard let head = CAFCookie.opus(cookie ?? [], channels: format.channelsPerFrame, preSkip: preSkip) else {
                throw .unsupportedDataFormat("CAF with Opus of \(format.channelsPerFrame) channels without a cookie")
            }
            magicCookie = head
        default: break
        }
        var track = AudioTrack(fileType: .caf, format: format, magicCookie: magicCookie, packets: .constant)
        track.formatList = formats.count > 1 ? formats : []
        if let table {
            // With equal packets the table holds only their number, which may be wrong.
            if !hasEqualPackets {
                let packets = PacketTable(table.bytes, format, packetCount: table.packetCount, frameScale: scale)
                track.packets = .table(packets)
                let (announced, found) = (table.packetCount, packets.length.packetCount)
                if announced != found {
                    track.problems.append(
                        AudioStreamProblem(
                            .lengthDiffers(announced: announced, found: found, .packets), at: table.byteOffset))
                }
            }
            track.primingFrameCount = table.primingFrameCount * scale
            track.validFrameCount = table.validFrameCount.map { $0 * Int64(scale) }
        }
        track.prerollPacketCount = preroll(track)
        return track
    }

    private func plainFormat() throws(AudioStreamError) -> AudioStreamFormat? {
        do throws(AudioStreamError) { return try description.plainFormat() } catch { throw error.at(descriptionOffset) }
    }

    /// Builds the track of a codec with equal packets. A table can still say how much of Apple's IMA is padding.
    private func plain(_ format: AudioStreamFormat) -> AudioTrack {
        var track = AudioTrack(fileType: .caf, format: format, packets: .constant)
        if format.codec == .ima4 || format.codec == .waveIMA, let table {
            track.primingFrameCount = table.primingFrameCount
            track.validFrameCount = table.validFrameCount
        }
        return track
    }

    /// Returns the formats in the configuration; if it does not signal HE-AAC, a description that does is believed.
    private func advancedAudioFormats(_ cookie: [UInt8]) throws(AudioStreamError) -> [AudioStreamFormat] {
        guard var config = AudioSpecificConfig(cookie) else {
            throw .invalidFile(
                "AAC's configuration of \(cookie.count) bytes says nothing valid at byte \(cookieOffset)")
        }
        guard [1, 2, 4].contains(config.objectType) else {
            throw .unsupportedDataFormat("CAF with AAC of object type \(config.objectType)")
        }
        if config.channelCount == 0 { config.channelCount = description.channels }
        if !config.hasSBR, description.codec != .aac, Double(config.coreSampleRate * 2) == description.sampleRate {
            config.hasSBR = true
            config.hasPS = description.codec == .aacHEv2
            config.sampleRate = config.coreSampleRate * 2
        }
        let formats = config.formats
        for format in formats {
            try AudioFormats.check(sampleRate: format.sampleRate, channels: format.channelsPerFrame)
        }
        return formats
    }

    /// Returns the packets before the first exact one; AMR is never exact, but inaudibly so after 100 ms.
    private func preroll(_ track: AudioTrack) -> Int {
        switch track.format.codec {
        case .aac: return track.format.sampleRate <= 24_000 ? 2 : 1
        case .aacHE: return 2
        case .aacHEv2: return 3
        case .ac3, .mpegLayer2: return 1
        case .mpegLayer1: return 2
        case .mpegLayer3:
            let smallest =
                if case .table(let table) = track.packets { table.smallestPacketByteCount } else {
                    track.format.bytesPerPacket
                }
            let word: UInt32 = track.format.sampleRate >= 32_000 ? 0xFFFB_9000 : 0xFFF3_8000
            return MPEGFrameHeader(word: word)?.prerollPacketCount(smallestPacketByteCount: smallest) ?? 10
        // RFC 7845 section 4.6: 80 ms.
        case .opus: return track.format.framesPerPacket > 0 ? (3_839 / track.format.framesPerPacket) + 1 : 4
        case .amrNarrowband, .amrWideband: return 5
        default: return 0
        }
    }
}
