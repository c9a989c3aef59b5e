import AudioCore

/// One respect in which our parser and ffprobe do not say the same of a song.
struct Difference: Hashable, CustomStringConvertible {
    var aspect: Aspect
    var text: String
    var description: String { "\(aspect): \(text)" }
}

extension Song {
    /// In what a reading differs from what was encoded.
    func differences(from reading: Reading) -> [Difference] {
        var found: [Difference] = []
        let format = reading.summary.format
        let name = format.map(Probe.name) ?? "none"
        if name != codec { found.append(Difference(aspect: .source, text: "\(name), encoded \(codec)")) }
        // Opus has no rate of its own: it is decoded at 48 kHz (RFC 7845 section 5.1).
        let expected = codec == "opus" ? 48_000 : Double(rate)
        if let decoded = format?.sampleRate, decoded != expected {
            found.append(Difference(aspect: .source, text: "\(decoded), encoded \(expected)"))
        }
        if let count = format?.channelsPerFrame, count != channels {
            found.append(Difference(aspect: .source, text: "\(count), encoded \(channels)"))
        }
        if let frames, reading.audibleFrameCount != frames {
            let text = "\(reading.audibleFrameCount) frames, encoded \(frames)"
            found.append(Difference(aspect: .source, text: text))
        }
        return found
    }
}

extension Probe {
    /// In what a reading says something else.
    func differences(from reading: Reading, of song: Song, in file: [UInt8]) -> [Difference] {
        var found: [Difference] = []
        func expect(_ aspect: Aspect, _ isSame: Bool, _ text: @autoclosure () -> String) {
            if !isSame { found.append(Difference(aspect: aspect, text: text())) }
        }
        let format = reading.summary.format
        let ourCodec = format.map(Self.name) ?? "none"
        expect(.codec, ourCodec == codec, "\(ourCodec), ffprobe \(codec)")
        let rate = format?.sampleRate ?? 0
        expect(.sampleRate, rate == Double(sampleRate), "\(rate), ffprobe \(sampleRate)")
        let count = format?.channelsPerFrame ?? 0
        expect(.channels, count == channels, "\(count), ffprobe \(channels)")

        let ours = reading.packets
        if song.hasArbitraryPackets {
            let (mine, theirs) = (
                ours.reduce(0) { $0 + $1.range.count }, packets.reduce(0) { $0 + $1.byteCount }
            )
            expect(.packetBytes, mine == theirs, "\(mine) bytes in all, ffprobe \(theirs)")
            return found
        }
        expect(.packetCount, ours.count == packets.count, "\(ours.count), ffprobe \(packets.count)")
        guard ours.count == packets.count else { return found }
        for index in ours.indices {
            let bytes = reading.bytes(of: ours[index])
            guard !isSame(packets[index], bytes, song, file) else { continue }
            expect(.packetBytes, false, "packet \(index), \(bytes.count) bytes, ffprobe \(packets[index].byteCount)")
            break
        }
        // The first and the last are what trims are taken from there.
        for index in ours.indices.dropFirst().dropLast() {
            guard let frames = packets[index].frameCount, frames != ours[index].frameCount else { continue }
            expect(.packetFrames, false, "packet \(index), \(ours[index].frameCount) frames, ffprobe \(frames)")
            break
        }
        return found
    }

    private func isSame(_ packet: Packet, _ bytes: ArraySlice<UInt8>, _ song: Song, _ file: [UInt8]) -> Bool {
        guard song.container == "adts" else {
            return packet.byteCount == bytes.count && packet.digest == adler32(bytes)
        }
        // ffprobe's packets begin with the ADTS header (ISO 14496-3, 1.A.3.2): 7 bytes, or 9 with a check.
        guard let offset = packet.offset, offset + packet.byteCount <= file.count, packet.byteCount > 9 else {
            return false
        }
        let headerByteCount = file[offset + 1] & 1 == 1 ? 7 : 9
        return file[offset + headerByteCount..<offset + packet.byteCount] == bytes
    }

    /// What ffprobe calls a format of ours.
    fileprivate static func name(_ format: AudioStreamFormat) -> String {
        guard format.codec == .linearPCM else { return names[format.codec] ?? format.codec.description }
        let bytes = format.bytesPerFrame / max(1, format.channelsPerFrame)
        let kind = format.pcm.contains(.float) ? "f" : format.pcm.contains(.signedInteger) ? "s" : "u"
        let order = bytes == 1 ? "" : format.pcm.contains(.bigEndian) ? "be" : "le"
        return "pcm_\(kind)\(bytes * 8)\(order)"
    }

    private static let names: [Codec: String] = [
        .mpegLayer1: "mp1", .mpegLayer2: "mp2", .mpegLayer3: "mp3", .muLaw: "pcm_mulaw", .aLaw: "pcm_alaw",
        .ima4: "adpcm_ima_qt", .waveIMA: "adpcm_ima_wav", .aac: "aac", .aacHE: "he_aac", .aacHEv2: "he_aac_v2",
        .alac: "alac",
        .ac3: "ac3", .flac: "flac", .opus: "opus", .vorbis: "vorbis", .amrNarrowband: "amr_nb",
        .amrWideband: "amr_wb",
    ]
}
