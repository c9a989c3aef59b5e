import HeardAnalysis
import LANKit
import TestbedKit

/// What became of a split album.
struct AlbumResult {
    struct Joint {
        /// The largest of any two listeners in windows from a quarter of a second before the joint to half a second
        /// after it, in seconds; nil where nothing sounds.
        var skew: Double?
        /// The part of the next song that the late listener did not play, or not as it is, in seconds; nil if it never
        /// sounded as the song does.
        var missing: Double?
        /// What is left of the sine in the worst 10 ms of a tenth of a second before and after the joint, in dBFS.
        var residual: Double?
        var isNearStall: Bool
    }

    var joints: [Joint]
    /// The largest skew of any two listeners in each half second away from the joints, in seconds: what skew near them,
    /// and after commands, is measured by.
    var midSongSkews: [Double] = []
    /// What is left of the sine in the worst 10 ms elsewhere, in dBFS.
    var midSongResidual: Double?
    /// The first frame at which the recording by `tutti record` is not the unsplit one; nil where they are the same.
    var differingFrame: Int?

    /// Where a sine leaves more in mid-song, in dBFS, it is played badly, and no measure for the joints.
    static let residualLimit = ReferenceOptions().limit
}

extension AlbumResult {
    /// - Parameters:
    ///   - heard: of the listeners that played all of it.
    ///   - late: of those that joined before each joint; nil where there is none.
    ///   - copy: by `tutti record`.
    init(
        _ album: SplitAlbum, heard: [HeardRecording], late: [HeardRecording?], copy: HeardRecording?,
        stalls: [StallLogger.Stall]
    ) {
        let sines = heard.map { HeardSine($0, album, stalls) }
        let right = heard.map { $0.onlyChannel(1) }
        joints = album.joints.indices.map { number in
            let time = sines[0].time(ofFrame: album.joints[number])
            let residuals = sines.map { $0.residual(aroundJoint: number) }
            let calm = !stalls.contains { Double($0.end) > time - 1e9 && Double($0.start) < time + 1e9 }
            return Joint(
                skew: worstSkew(of: right, from: time - 0.25e9, seconds: 0.75),
                missing: late[number].flatMap { Self.missing(of: $0.onlyChannel(1), afterJoint: number, of: album) },
                residual: residuals.contains { $0 == nil } ? nil : residuals.compactMap(\.self).max(),
                isNearStall: !calm)
        }
        midSongSkews = album.midSongFrames.compactMap { frame in
            let time = sines[0].time(ofFrame: frame)
            let isCalm = !stalls.contains { Double($0.end) > time - 1e9 && Double($0.start) < time + 1e9 }
            return isCalm ? worstSkew(of: right, from: time) : nil
        }
        midSongResidual = sines.compactMap(\.midSongResidual).max()
        differingFrame = Self.firstDifference(copy?.samples ?? [], album.unsplit.samples).map { $0 / 2 }
    }

    private static func firstDifference(_ first: [Float], _ second: [Float]) -> Int? {
        zip(first, second).enumerated().first { $1.0 != $1.1 }?.offset
            ?? (first.count == second.count ? nil : min(first.count, second.count))
    }

    /// By the comparison with the album from the part before the joint to a second behind it.
    private static func missing(
        of heard: HeardRecording, afterJoint number: Int, of album: SplitAlbum
    ) -> Double? {
        let joint = album.joints[number]
        let start = number == 0 ? 0 : album.joints[number - 1]
        let end = joint + Int(SplitAlbum.rate)
        let part = HeardRecording(
            sampleRate: SplitAlbum.rate, channels: 1, samples: Array(album.unsplit.channel(1)[start..<end]))
        var options = ReferenceOptions()
        options.firstReferenceFrame = joint - start
        options.margin = 0
        let report = compare(heard, with: part, options: options)
        guard report.isFound else { return nil }
        let place = Double(joint - start) / SplitAlbum.rate
        // The last window reaches beyond the part.
        let wrong = report.blemishes.last { $0.level != nil && $0.position < place + 1 - 2 * options.window }
        return wrong.map { $0.position + options.window - place } ?? 0
    }
}

/// What one card emitted of the album's sine.
private struct HeardSine {
    private let recording: HeardRecording
    private let comparison: ReferenceReport
    private let residuals: [(frame: Double, level: Double)]
    private let joints: [Double]
    private let frameCount: Double
    /// On either side of a joint, in seconds.
    private static let reach = 0.1

    init(_ recording: HeardRecording, _ album: SplitAlbum, _ stalls: [StallLogger.Stall]) {
        self.recording = recording
        let comparison = compare(recording.onlyChannel(1), with: album.unsplit.onlyChannel(1))
        self.comparison = comparison
        frameCount = Double(album.unsplit.frameCount)
        joints = album.joints.map(Double.init)
        let sine = SineResidual(of: recording.channel(0), rate: recording.sampleRate, pitch: SplitAlbum.pitch)
        residuals = sine.windows.compactMap { window in
            let middle = Double(window.start) + SineResidual.window * recording.sampleRate / 2
            guard let time = recording.time(ofFrame: middle),
                !stalls.contains(where: { Double($0.start) - 1e9 < time && Double($0.end) + 1e9 > time })
            else { return nil }
            return ((middle - comparison.firstFrame) * Self.speed(comparison, recording), window.level)
        }
    }

    /// Frames of the album in one of the recording.
    private static func speed(_ comparison: ReferenceReport, _ recording: HeardRecording) -> Double {
        SplitAlbum.rate / recording.sampleRate * (1 + comparison.speedPartsPerMillion * 1e-6)
    }

    func time(ofFrame frame: Int) -> Double {
        recording.time(ofFrame: comparison.firstFrame + Double(frame) / Self.speed(comparison, recording)) ?? 0
    }

    func residual(aroundJoint number: Int) -> Double? {
        residuals.filter { abs($0.frame - joints[number]) < Self.reach * SplitAlbum.rate }.map(\.level).max()
    }

    /// Away from the joints, and from the album's beginning and end.
    var midSongResidual: Double? {
        let away = 3 * Self.reach * SplitAlbum.rate
        return residuals.filter { frame, _ in
            frame > away && frame < frameCount - away && joints.allSatisfy { abs(frame - $0) > away }
        }.map(\.level).max()
    }
}
