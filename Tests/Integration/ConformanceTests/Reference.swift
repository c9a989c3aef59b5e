import Testing

extension Song {
    /// ffmpeg's samples of it; sox's where ffmpeg does not read it, or is not what the codec's definition says.
    func samplesOfReference() throws -> [Float] {
        switch (container, codec) {
        // ffmpeg knows neither RIFX, which sox wrote, nor AMR-WB in CAF.
        case ("rifx", _): try samples(from: "sox \(quoted(path)) -t f32 -")
        case ("caf", "amr_wb"): try samples(from: "sox -t amr-wb \(quoted(readableTwinPath)) -t f32 -")
        case (_, "amr_nb"): try samples(from: "\(packets("amr")) | sox -t amr-nb - -t f32 -")
        case (_, "amr_wb"): try samples(from: "\(packets("amr")) | sox -t amr-wb - -t f32 -")
        case ("mp1-free", _): try samplesOfFFmpeg(readableTwinPath)
        default: try samplesOfFFmpeg(path)
        }
    }

    func samplesOfFFmpeg(_ path: String) throws -> [Float] {
        // What rounds to 16 bits is told not to.
        let decoder = codec == "opus" ? "-c:a libopus -request_sample_fmt flt" : codec == "mp1" ? "-c:a mp1float" : ""
        let trimming = isUntrimmed && isMPEG4 ? "-ignore_editlist 1 -flags2 +skip_manual" : ""
        // It makes two of one channel that might have had stereo.
        let channel = isHEAAC && channels == 1 ? "-af 'pan=mono|c0=c0'" : ""
        return try samples(
            from: "ffmpeg -nostdin -v fatal \(decoder) \(trimming) -i \(quoted(path)) -map 0:a:0 \(channel) "
                + "-c:a pcm_f32le -f f32le -")
    }

    /// Whether the reference has what is to be left out in front: ffmpeg takes no notice of an edit list in a
    /// fragmented file, leaves out twice as much where it takes the core's rate of HE-AAC for the song's, and nothing
    /// in CAF.
    var isUntrimmed: Bool { variant.contains("delay_moov") || isHEAAC && (isMPEG4 || container == "caf") }

    /// Of layer II: ffmpeg dequantises it in integers, and is itself beyond a full accuracy decoder's limit in the
    /// mean. Of layer III at the lowest rates of MPEG-2: it makes noise of some packets (up to half of full scale
    /// beside mpg123 and libmad, which agree to 0.03 steps of 16 bits). libmad, which sox has, keeps the limit. It
    /// leaves out the last frame. Nil where ffmpeg is as good.
    /// - Parameter priming: frames to leave out in front.
    func accurateSamples(skipping priming: Int) throws -> [Float]? {
        guard codec == "mp2" || codec == "mp3" && container == "wav" else { return nil }
        let samples = try samplesOfMAD()
        if !isMPEG4 {
            let all = try samplesOfReference().count
            let packet = codec == "mp2" || rate >= 32_000 ? 1_152 : 576
            #expect(
                samples.count == all - packet * channels, "\(self): libmad decoded \(samples.count) of \(all) samples")
        }
        return Array(samples.dropFirst(priming * channels))
    }

    /// libmad's samples of MPEG audio.
    func samplesOfMAD() throws -> [Float] {
        let path = container == "mp1-free" ? readableTwinPath : path
        // In MPEG-4 ffmpeg takes all layers for the third.
        let format = codec == "mp3" || container == "mp4" ? "mp3 -write_xing 0 -id3v2_version 0" : "mp2"
        return try samples(from: "\(packets(format, path)) | sox -D -t mp3 - -t f32 -")
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
