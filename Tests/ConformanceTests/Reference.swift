import Testing

extension Song {
    /// ffmpeg's samples of it; sox's where ffmpeg does not read it, or is not what the codec's definition says.
    func samplesOfReference() throws -> [Float] {
        switch (container, codec) {
        // ffmpeg does not know RIFX; sox wrote it.
        case ("rifx", _): try samples(from: "sox \(quoted(path)) -t f32 -")
        case (_, "amr_nb"): try samples(from: "\(packets("amr")) | sox -t amr-nb - -t f32 -")
        case (_, "amr_wb"): try samples(from: "\(packets("amr")) | sox -t amr-wb - -t f32 -")
        case ("mp1-free", _): try samplesOfFFmpeg(twinPath)
        default: try samplesOfFFmpeg(path)
        }
    }

    func samplesOfFFmpeg(_ path: String) throws -> [Float] {
        // What rounds to 16 bits is told not to.
        let decoder = codec == "opus" ? "-c:a libopus -request_sample_fmt flt" : codec == "mp1" ? "-c:a mp1float" : ""
        let trimming = isUntrimmed ? "-ignore_editlist 1 -flags2 +skip_manual" : ""
        // It makes two of one channel that might have had stereo.
        let channel = isLayered && channels == 1 ? "-af 'pan=mono|c0=c0'" : ""
        return try samples(
            from: "ffmpeg -nostdin -v fatal \(decoder) \(trimming) -i \(quoted(path)) -map 0:a:0 \(channel) "
                + "-c:a pcm_f32le -f f32le -")
    }

    /// Whether the reference has what an edit list leaves out in front: ffmpeg takes no notice of one in a fragmented file,
    /// and leaves out twice as much where it takes the core's rate of HE-AAC for the song's.
    var isUntrimmed: Bool { variant.contains("delay_moov") || isLayered && isMPEG4 }

    /// Of layer II: ffmpeg dequantises it in integers, and is itself beyond a full accuracy decoder's limit in the mean.
    /// libmad, which sox has, keeps that limit. It leaves out the last frame. Nil where ffmpeg is as good.
    func accurateSamples() throws -> [Float]? {
        guard codec == "mp2" else { return nil }
        let all = try samplesOfReference().count
        let samples = try samplesOfMAD()
        #expect(samples.count == all - 1_152 * channels, "\(self): libmad decoded \(samples.count) of \(all) samples")
        return samples
    }

    /// libmad's samples of layers I and II.
    func samplesOfMAD() throws -> [Float] {
        try samples(
            from: "\(packets("mp2", container == "mp1-free" ? twinPath : path)) | sox -D -t mp3 - -t f32 -")
    }

    /// A command that prints the packets in a container of packets alone.
    private func packets(_ format: String, _ path: String? = nil) -> String {
        "ffmpeg -nostdin -v fatal -i \(quoted(path ?? self.path)) -map 0:a:0 -c:a copy -f \(format) -"
    }

    /// Samples of 32-bit float that a command prints.
    func samples(from command: String) throws -> [Float] {
        let bytes = try output(of: command)
        return bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
    }
}
