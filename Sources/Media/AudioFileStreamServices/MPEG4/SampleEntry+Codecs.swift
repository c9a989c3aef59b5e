import AudioCore

// Pre-roll: packets that a decoder needs before the first exact one. AAC overlaps each block with the previous one: 1.
// SBR adds filter banks with a memory of six slots of the previous packet, and envelopes coded as differences to its
// own: 2; PS has decorrelators that ring on: 3. AC-3 overlaps like AAC: 1. Opus converges within 80 ms (RFC 7845
// section 4.6). Vorbis overlaps with one packet. AMR is recursive and never exact, but the rest is inaudible after 100
// ms. For MPEG audio see `MPEGFrameHeader`. Lossless codecs and PCM need none.

extension SampleEntryFields {
    private static let amrPrerollPacketCount = 5

    /// Returns the description's codec, and everything that follows from it.
    func entry() throws(AudioStreamError) -> SampleEntry {
        switch type {
        case BoxType("mp4a"): return try elementary()
        case .alac: return try appleLossless()
        case BoxType("ac-3"), BoxType("sac3"): return dolby()
        case BoxType(".mp3"), BoxType("mp3 "), BoxType(rawValue: 0x6D73_0055): return mpegAudio(.mpegLayer3)
        case BoxType(".mp2"): return mpegAudio(.mpegLayer2)
        case BoxType(".mp1"): return mpegAudio(.mpegLayer1)
        case BoxType("samr"): return amr(.amrNarrowband, sampleRate: 8_000, framesPerPacket: 160)
        case BoxType("sawb"): return amr(.amrWideband, sampleRate: 16_000, framesPerPacket: 320)
        case BoxType("Opus"): return try opus()
        case BoxType("fLaC"): return try flac()
        default:
            if let entry = try blocks() { return entry }
            throw .unsupportedDataFormat(Self.name(of: type))
        }
    }

    /// Returns a readable name of an unsupported format.
    private static func name(of type: BoxType) -> String {
        switch type {
        case BoxType("ec-3"): "MPEG-4 with E-AC-3"
        case BoxType("ac-4"): "MPEG-4 with AC-4"
        case BoxType("dtsc"), BoxType("dtsh"), BoxType("dtsl"), BoxType("dtse"): "MPEG-4 with DTS"
        case BoxType("enca"), BoxType("drms"): "MPEG-4 with encrypted sound"
        case BoxType("mha1"), BoxType("mhm1"): "MPEG-4 with MPEG-H"
        case BoxType("QDM2"), BoxType("QDMC"): "QuickTime with QDesign Music"
        case BoxType("MAC3"), BoxType("MAC6"): "QuickTime with MACE"
        case BoxType("agsm"): "QuickTime with GSM"
        default: "MPEG-4 with sound of type '\(type)'"
        }
    }

    // MARK: MPEG

    /// Returns the entry by the object type of the elementary stream.
    private func elementary() throws(AudioStreamError) -> SampleEntry {
        guard let stream = elementaryStream() else {
            throw .invalidFile("MPEG-4 sound has no description of its codec")
        }
        var entry: SampleEntry
        switch stream.objectType {
        case 0x40, 0x66, 0x67, 0x68: entry = try advancedAudio(stream.specificInfo)
        case 0x69, 0x6B: entry = mpegAudio(.mpegLayer3)
        case 0xA5: entry = dolby()
        case 0xAD: entry = try opus()
        case 0xDD: entry = try vorbis(stream.specificInfo)
        case 0xA6: throw .unsupportedDataFormat("MPEG-4 with E-AC-3")
        case 0xA9...0xAC: throw .unsupportedDataFormat("MPEG-4 with DTS")
        case 0xE1: throw .unsupportedDataFormat("MPEG-4 with QCELP")
        default: throw .unsupportedDataFormat("MPEG-4 with sound of object type \(stream.objectType)")
        }
        entry.averageBitRate = stream.averageBitRate
        return entry
    }

    private func advancedAudio(_ cookie: [UInt8]) throws(AudioStreamError) -> SampleEntry {
        guard var config = AudioSpecificConfig(cookie) else {
            throw .invalidFile("AAC's configuration of \(cookie.count) bytes says nothing valid")
        }
        switch config.objectType {
        case 1, 2, 4: break
        case 42: throw .unsupportedDataFormat("MPEG-4 with xHE-AAC")
        case 23, 39: throw .unsupportedDataFormat("MPEG-4 with low-delay AAC")
        case 36: throw .unsupportedDataFormat("MPEG-4 with ALS")
        default: throw .unsupportedDataFormat("MPEG-4 with sound of object type \(config.objectType)")
        }
        if config.channelCount == 0 { config.channelCount = channelCount }
        let formats = config.formats
        // Unsignalled SBR occurs only at low sample rates.
        let preroll = formats.count == 1 && config.coreSampleRate <= 24_000 ? 2 : formats.count
        var entry = SampleEntry(
            formats, counting: .constant(formats[0].framesPerPacket), cookie: cookie, preroll: preroll)
        entry.channelLayout = .decoded(channelCount: formats[0].channelsPerFrame, config.channelConfiguration)
        return entry
    }

    /// Returns an entry whose layer and other details come from the first packet.
    private func mpegAudio(_ codec: Codec) -> SampleEntry {
        let format = AudioStreamFormat(
            codec: codec, sampleRate: sampleRate, framesPerPacket: 1_152, channelsPerFrame: channelCount)
        return SampleEntry([format], counting: .mpeg, preroll: 1)
    }

    // MARK: Others

    private func appleLossless() throws(AudioStreamError) -> SampleEntry {
        // In QuickTime's `wave` the atom has version and flags, too (ALAC's "Magic Cookie Description").
        guard let box = box(.alac), box.count >= 28 else { throw .invalidFile("Apple Lossless has no magic cookie") }
        let cookie = Array(box.dropFirst(4))
        let bytes = cookie.span.bytes
        let framesPerPacket = Int(bytes.bigEndian32(at: 0))
        guard framesPerPacket > 0, framesPerPacket <= Limits.packetFrameCount else {
            throw .invalidFile("Apple Lossless with packets of \(framesPerPacket) frames")
        }
        let format = AudioStreamFormat(
            codec: .alac, sampleRate: Double(bytes.bigEndian32(at: 20)), framesPerPacket: framesPerPacket,
            channelsPerFrame: Int(bytes[9]))
        return SampleEntry([format], counting: .alac(framesPerPacket), cookie: cookie)
    }

    /// Reads ETSI TS 102 366 annex F: `dac3` is right where the description's channel count or sample rate is not.
    private func dolby() -> SampleEntry {
        var format = AudioStreamFormat(
            codec: .ac3, sampleRate: sampleRate, framesPerPacket: 1_536, channelsPerFrame: channelCount)
        if let config = box(.dac3), config.count >= 3 {
            var bits = BitReader(config)
            let rate = bits.read(2)
            bits.skip(5 + 3)
            let mode = bits.read(3)
            format.channelsPerFrame = [2, 1, 2, 3, 3, 4, 4, 5][mode] + bits.read(1)
            if rate < 3 { format.sampleRate = [48_000, 44_100, 32_000][rate] }
        }
        return SampleEntry([format], counting: .constant(1_536), preroll: 1)
    }

    /// Reads 3GPP TS 26.244 section 6.5.
    private func amr(_ codec: Codec, sampleRate: Double, framesPerPacket: Int) -> SampleEntry {
        let format = AudioStreamFormat(
            codec: codec, sampleRate: sampleRate, framesPerPacket: framesPerPacket, channelsPerFrame: 1)
        var entry = SampleEntry([format], counting: .constant(framesPerPacket), preroll: Self.amrPrerollPacketCount)
        entry.bundle = SampleBundle(isWideband: codec == .amrWideband)
        return entry
    }

    /// Reads "Encapsulation of Opus in ISO Base Media File Format" section 4.3.2: the header with numbers byte-swapped.
    private func opus() throws(AudioStreamError) -> SampleEntry {
        guard let config = box(.dOps), config.count >= 11 else { throw .invalidFile("Opus has no configuration") }
        let bytes = config.span.bytes
        let preSkip = bytes.bigEndian16(at: 2)
        var cookie = Array("OpusHead".utf8) + [1, config[1]]
        for index in [3, 2, 7, 6, 5, 4, 9, 8] { cookie.append(config[index]) }
        cookie += config[10...]
        let format = AudioStreamFormat(codec: .opus, sampleRate: 48_000, channelsPerFrame: Int(config[1]))
        var entry = SampleEntry([format], counting: .opus, cookie: cookie, preroll: 4)
        entry.primingFrameCount = Int(preSkip)
        return entry
    }

    /// Reads "Encapsulation of FLAC in ISO Base Media File Format" section 3.3.2: metadata blocks, STREAMINFO first.
    private func flac() throws(AudioStreamError) -> SampleEntry {
        guard let config = box(.dfLa), config.count >= 8 + 34, config[4] & 0x7F == 0 else {
            throw .invalidFile("FLAC has no STREAMINFO")
        }
        let cookie = Array(config[8..<42])
        var bits = BitReader(cookie)
        bits.skip(80)
        let rate = Double(bits.read(20))
        let format = AudioStreamFormat(codec: .flac, sampleRate: rate, channelsPerFrame: bits.read(3) + 1)
        return SampleEntry([format], counting: .time, cookie: cookie)
    }

    private func vorbis(_ cookie: [UInt8]) throws(AudioStreamError) -> SampleEntry {
        guard cookie.first == 2 else { throw .invalidFile("Vorbis has no headers") }
        let format = AudioStreamFormat(codec: .vorbis, sampleRate: sampleRate, channelsPerFrame: channelCount)
        return SampleEntry([format], counting: .time, cookie: cookie, preroll: 1)
    }
}

extension AudioChannelLayout {
    /// Returns the layout of an AAC channel configuration (14496-3 table 1.19) in the channel order of decoders that
    /// follow WAVE; nil if the configuration does not define it.
    fileprivate static func decoded(channelCount: Int, _ configuration: Int) -> AudioChannelLayout? {
        switch (configuration, channelCount) {
        case (1, 2), (2, 2): AudioChannelLayout([.left, .right])
        case (1, 1): AudioChannelLayout([.mono])
        case (3, 3): AudioChannelLayout([.left, .right, .center])
        case (4, 4): AudioChannelLayout([.left, .right, .center, .centerSurround])
        case (5, 5): AudioChannelLayout([.left, .right, .center, .leftSurround, .rightSurround])
        case (6, 6): AudioChannelLayout([.left, .right, .center, .lfe, .leftSurround, .rightSurround])
        default: nil
        }
    }
}
