import AudioCore

// Codecs with equal packets: linear PCM (QuickTime File Format, "Sound media"; ISO/IEC 23003-5), G.711, IMA 4:1.

extension SampleEntryFields {
    private struct PCM {
        var byteCount: Int
        var bits: Int
        var layout: PCMLayout
    }

    /// Returns nil for other codecs.
    func blocks() throws(AudioStreamError) -> SampleEntry? {
        switch type {
        case BoxType("ulaw"): return bytes(.muLaw)
        case BoxType("alaw"): return bytes(.aLaw)
        case BoxType("ima4"): return ima()
        default: break
        }
        guard let pcm = try pcm() else { return nil }
        var format = AudioStreamFormat.linearPCM(
            sampleRate: sampleRate, channels: channelCount, bitsPerChannel: pcm.bits, bytesPerSample: pcm.byteCount,
            layout: pcm.layout)
        // Chunks need not be whole packets: packet sizes are set only when the table is known.
        format.bytesPerPacket = 0
        format.framesPerPacket = 0
        return entry(format, bytesPerBlock: pcm.byteCount * channelCount, framesPerBlock: 1)
    }

    private func bytes(_ codec: Codec) -> SampleEntry {
        let format = AudioStreamFormat(
            codec: codec, sampleRate: sampleRate, bytesPerFrame: channelCount, channelsPerFrame: channelCount)
        return entry(format, bytesPerBlock: channelCount, framesPerBlock: 1)
    }

    private func ima() -> SampleEntry {
        let format = AudioStreamFormat(
            codec: .ima4, sampleRate: sampleRate, bytesPerPacket: 34 * channelCount, framesPerPacket: 64,
            channelsPerFrame: channelCount)
        return entry(format, bytesPerBlock: 34 * channelCount, framesPerBlock: 64)
    }

    private func entry(_ format: AudioStreamFormat, bytesPerBlock: Int, framesPerBlock: Int) -> SampleEntry {
        let blocksPerPacket = framesPerBlock > 1 ? 1 : PCMPackets.frameCount(sampleRate: format.sampleRate)
        var entry = SampleEntry([format], counting: .time)
        entry.blocks = BlockLayout(
            bytesPerBlock: Int64(max(1, bytesPerBlock)), framesPerBlock: Int64(framesPerBlock),
            blocksPerPacket: Int64(blocksPerPacket))
        if let chan = box(.chan) { entry.channelLayout = AudioChannelLayout(quickTime: chan) }
        return entry
    }

    private func pcm() throws(AudioStreamError) -> PCM? {
        let isLittleEndian = box(.enda).map { $0.count >= 2 && $0[1] == 1 } ?? false
        let order: PCMLayout = isLittleEndian ? [] : .bigEndian
        switch type {
        case BoxType("sowt"): return try integer(bitsPerSample, [])
        case BoxType("twos"): return try integer(bitsPerSample, order)
        case BoxType("raw "), BoxType("NONE"):
            guard bitsPerSample > 8 else { return PCM(byteCount: 1, bits: 8, layout: []) }
            return try integer(bitsPerSample, .bigEndian)
        case BoxType("in24"): return PCM(byteCount: 3, bits: 24, layout: order.union(.signedInteger))
        case BoxType("in32"): return PCM(byteCount: 4, bits: 32, layout: order.union(.signedInteger))
        case BoxType("fl32"): return PCM(byteCount: 4, bits: 32, layout: order.union(.float))
        case BoxType("fl64"): return PCM(byteCount: 8, bits: 64, layout: order.union(.float))
        case BoxType("ipcm"), BoxType("fpcm"): return try configured(isFloat: type == BoxType("fpcm"))
        case BoxType("lpcm"): return try flagged(pcmFlags ?? 0)
        default: return nil
        }
    }

    private func integer(_ bits: Int, _ order: PCMLayout) throws(AudioStreamError) -> PCM {
        guard (1...32).contains(bits) else { throw .unsupportedDataFormat("QuickTime with PCM of \(bits) bits") }
        return PCM(byteCount: (bits + 7) / 8, bits: bits, layout: order.union(.signedInteger))
    }

    /// Reads `pcmC`, ISO/IEC 23003-5 section 5.2: flags, the lowest of which means little-endian; bits per sample.
    private func configured(isFloat: Bool) throws(AudioStreamError) -> PCM {
        guard let config = box(.pcmC), config.count >= 6 else { throw .invalidFile("MPEG-4 PCM has no configuration") }
        let order: PCMLayout = config[4] & 1 == 1 ? [] : .bigEndian
        let bits = Int(config[5])
        guard (isFloat ? [32, 64] : [16, 24, 32]).contains(bits) else {
            throw .unsupportedDataFormat("MPEG-4 with PCM of \(bits) bits")
        }
        return PCM(byteCount: bits / 8, bits: bits, layout: order.union(isFloat ? .float : .signedInteger))
    }

    /// Reads the linear PCM flags of version 2 descriptions: float 1, big-endian 2, signed 4, not interleaved 32.
    private func flagged(_ flags: UInt32) throws(AudioStreamError) -> PCM {
        let isFloat = flags & 1 != 0
        let bits = bitsPerSample
        guard flags & 32 == 0, isFloat ? bits == 32 || bits == 64 : (1...32).contains(bits) else {
            throw .unsupportedDataFormat("QuickTime with PCM of \(bits) bits, flags \(flags)")
        }
        var layout: PCMLayout = flags & 2 != 0 ? .bigEndian : []
        if isFloat { layout.insert(.float) } else if flags & 4 != 0 { layout.insert(.signedInteger) }
        guard isFloat || bits <= 8 || flags & 4 != 0 else {
            throw .unsupportedDataFormat("QuickTime with unsigned PCM of \(bits) bits")
        }
        return PCM(byteCount: (bits + 7) / 8, bits: bits, layout: layout)
    }
}
