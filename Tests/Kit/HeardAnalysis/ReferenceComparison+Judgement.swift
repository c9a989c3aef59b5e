import Glibc

extension ReferenceComparison {
    /// Windows on either side that a window's speed is compared with; near an end as many as there are on that side. So
    /// a speed that changes and stays is no jump, wherever it does.
    private static let neighbours = 5

    /// The speed must be the song's within what clocks differ, and no window's may be far from that of its neighbours.
    mutating func judgeTrack() {
        let slopes = zip(track.dropFirst(), track).map { next, this in
            ((next.reference - this.reference) / (next.recorded - this.recorded) / ratio - 1) * 1e6
        }
        let median = heardPercentile(0.5, of: slopes) ?? 0
        report.speedPartsPerMillion = median
        if abs(median) > options.speedRange {
            report.blemishes.append(.init(position: 0, level: nil, jump: median * 1e-6))
        }
        for (index, slope) in slopes.enumerated() {
            let usual = heardPercentile(0.5, of: Self.surroundings(of: index, in: slopes)) ?? median
            guard abs(slope - usual) > options.wanderRange else { continue }
            let (this, next) = (track[index], track[index + 1])
            let jump = (slope - usual) * 1e-6 * (next.recorded - this.recorded) / recording.sampleRate
            let position = (this.reference + next.reference) / 2 / reference.sampleRate
            report.blemishes.append(.init(position: position, level: nil, jump: jump))
        }
    }

    /// The first and the last value are among three.
    private static func surroundings(of index: Int, in slopes: [Double]) -> [Double] {
        guard slopes.count > 2 else { return slopes }
        let middle = min(max(index, 1), slopes.count - 2)
        let reach = min(neighbours, middle, slopes.count - 1 - middle)
        return Array(slopes[middle - reach...middle + reach])
    }

    /// Subtracts the reference along the track, and judges what is left in short windows.
    mutating func judgeResidual() {
        report.gain = gain()
        let first = options.firstReferenceFrame ?? 0
        report.firstReferenceFrame = first
        report.firstFrame = recorded(at: Double(first))
        let margin = options.margin * recording.sampleRate
        let begin = Int((report.firstFrame - (first == 0 ? margin : 0)).rounded(.down))
        let end = Int((recorded(at: Double(song.count)) + margin).rounded(.up))
        let count = max(1, Int(options.window * recording.sampleRate))
        var levels: [Double] = []
        for start in stride(from: begin, to: end, by: count) {
            let level = residual(at: start, count: count)
            levels.append(level)
            guard level > options.limit else { continue }
            let position = place(at: Double(start)) / reference.sampleRate
            report.blemishes.append(.init(position: position, level: level, jump: nil))
        }
        report.windowCount = levels.count
        report.worstLevel = levels.max() ?? -200
        report.medianLevel = heardPercentile(0.5, of: levels) ?? -200
        report.blemishes.sort { $0.position < $1.position }
    }

    /// The residual of the channel that is worst, in dBFS.
    private func residual(at start: Int, count: Int) -> Double {
        var worst = -200.0
        let from = place(at: Double(start))
        let step = (place(at: Double(start + count)) - from) / Double(count)
        for channel in 0..<recording.channels {
            let expected = SincInterpolator.read(
                channels.song[min(channel, channels.song.count - 1)], in: 0..<song.count, from: from, step: step,
                count: count)
            let heard = channels.heard[channel]
            var sum = 0.0
            for n in 0..<count {
                let frame = start + n
                let value = frame >= 0 && frame < heard.count ? heard[frame] : 0
                let difference = Double(value - expected[n])
                sum += difference * difference
            }
            worst = max(worst, 10 * log10(sum / Double(count) + 1e-20))
        }
        return worst
    }

    /// The reference position at a recorded frame, along the track; beyond its ends with the speed that it has there.
    func place(at recorded: Double) -> Double {
        guard let first = track.first, let last = track.last else { return 0 }
        if recorded <= first.recorded {
            return first.reference + (recorded - first.recorded) * speed(track[0], track[1])
        }
        if recorded >= last.recorded {
            return last.reference + (recorded - last.recorded) * speed(track[track.count - 2], last)
        }
        var (low, high) = (0, track.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if track[middle].recorded <= recorded { low = middle } else { high = middle }
        }
        let part = (recorded - track[low].recorded) / (track[high].recorded - track[low].recorded)
        return track[low].reference + part * (track[high].reference - track[low].reference)
    }

    /// Between two neighbours, unless it jumps there.
    private func speed(
        _ this: (recorded: Double, reference: Double), _ next: (recorded: Double, reference: Double)
    ) -> Double {
        let median = ratio * (1 + report.speedPartsPerMillion * 1e-6)
        let measured = (next.reference - this.reference) / (next.recorded - this.recorded)
        return abs(measured / median - 1) < options.wanderRange * 1e-6 ? measured : median
    }

    /// The recorded frame at a reference position: the inverse of ``place(at:)``.
    func recorded(at position: Double) -> Double {
        guard let first = track.first else { return 0 }
        var frame = first.recorded + (position - first.reference) / ratio
        for _ in 0..<4 { frame += (position - place(at: frame)) / ratio }
        return frame
    }

    private func gain() -> Double {
        guard let middle = track.dropFirst(track.count / 2).first else { return 0 }
        let count = Int(0.25 * recording.sampleRate)
        let start = middle.recorded - Double(count) / 2
        let a = SincInterpolator.read(heard, in: 0..<heard.count, from: start, step: 1, count: count)
        let b = SincInterpolator.read(song, in: 0..<song.count, from: place(at: start), step: ratio, count: count)
        let level = Double(rootMeanSquare(b))
        return level > 0 ? Double(rootMeanSquare(a)) / level : 0
    }

    mutating func countBreaks() {
        let (begin, end) = (report.firstFrame, recorded(at: Double(song.count)))
        report.breaks =
            recording.segments.dropFirst().filter {
                Double($0.firstFrame) > begin && Double($0.firstFrame) < end
            }.count
    }
}
