import HeardAnalysis
import LANKit

/// A song in a file, and what it decodes to.
public struct SongFile {
    public enum Form: CaseIterable, Sendable {
        case constantBitRate, variableBitRate, wave
    }

    public let path: String
    /// The same song as a WAVE file of 16 bits and two channels, at 44.1 kHz.
    public let wavePath: String
    public let reference: HeardRecording

    /// Encodes a test song with LAME, and decodes it with mpg123: neither is ours. The files lie in the LAN's
    /// directory.
    public init(_ form: Form, seconds: Double, in lan: LAN) throws {
        let song = TestSong(duration: seconds).recording(sampleRate: 44_100)
        let wave = lan.path("song.wav")
        wavePath = wave
        try song.write(to: wave, format: .int16, sidecar: false)
        guard form != .wave else {
            path = wave
            reference = try HeardRecording(path: wave)
            return
        }
        path = lan.path("song.mp3")
        let rate = form == .constantBitRate ? ["--cbr", "-b", "192"] : ["-V", "2"]
        let decoded = lan.path("decoded.wav")
        try Self.run(lan, ["lame", "--silent"] + rate + [wave, path])
        try Self.run(lan, ["mpg123", "-q", "-e", "f32", "-w", decoded, path])
        reference = try HeardRecording(path: decoded)
    }

    /// Encodes a test song with FFmpeg as AAC in MPEG-4, and decodes it with FFmpeg.
    public init(aacOfSeconds seconds: Double, in lan: LAN) throws {
        let song = TestSong(duration: seconds).recording(sampleRate: 44_100)
        wavePath = lan.path("song.wav")
        try song.write(to: wavePath, format: .int16, sidecar: false)
        path = lan.path("song.m4a")
        let decoded = lan.path("decoded.wav")
        let ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i"]
        try Self.run(lan, ffmpeg + [wavePath, "-c:a", "aac", "-b:a", "192k", path])
        // It trims the encoder's delay, and leaves what the encoder padded.
        let end = "atrim=end_sample=\(song.frameCount)"
        try Self.run(lan, ffmpeg + [path, "-af", end, "-c:a", "pcm_f32le", "-bitexact", decoded])
        reference = try HeardRecording(path: decoded)
    }

    /// Whether what a card emitted is this song, whole and without blemish.
    /// - Parameter punctual: nil, or what the card of one emitted that heard the song from its beginning: then the
    ///   other joined late, and is judged from a tenth of a second after its first sound on.
    public func judge(_ heard: HeardRecording, joinedLateBeside punctual: HeardRecording? = nil) -> ReferenceReport {
        var options = ReferenceOptions()
        if let punctual, let onset = heard.firstAudibleTime(),
            let start = punctual.time(ofFrame: compare(punctual, with: reference).firstFrame)
        {
            let seconds = (onset - start) * 1e-9 + 0.1
            options.firstReferenceFrame = Int(seconds * reference.sampleRate)
        }
        return compare(heard, with: reference, options: options)
    }

    private static func run(_ lan: LAN, _ command: [String]) throws {
        guard try lan[0].run(command, within: 60).status == .exited(0) else {
            throw LANError.commandFailed(command.joined(separator: " "))
        }
    }
}
