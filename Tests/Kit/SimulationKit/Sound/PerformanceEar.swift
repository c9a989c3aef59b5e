import AudioCore
import Glibc

// How a place in the song is read from what was heard
//
// For each emitted sample x at true time T the performance says which song position p(T) is due. If the song sounds a
// little e early, and g loud,
//
//     x = g r(p + e)  ~  g cos(w e) r(p) + g sin(w e) / w * r'(p)       w: radians per frame of the tones
//
// since all tones are close together. So two numbers fitted by least squares over a window give g and e; a third, the
// change of e within the window, takes up what a rate controller does on purpose. What is left over does not belong
// there. The slope r' is exact for each tone, the second order in e is not: where e is large, the song is made anew
// at p + e and fitted again.

/// Compares what one loudspeaker emits with one performance, window by window.
final class PerformanceEar {
    private let performance: Performance
    private let angular: Double
    private(set) var windows: [HeardWindow?]

    private var current: Int?
    /// What was heard in the current window, the song that was due there, and its slope: as many of each as `count`.
    private let heard: UnsafeMutablePointer<Double>
    private let values: UnsafeMutablePointer<Double>
    private let slopes: UnsafeMutablePointer<Double>
    private var count = 0
    private var moveCount = 0
    /// Where the window's first sample was due, and how far apart its samples are.
    private var windowStart = 0.0
    private var windowStep = 0.0
    /// In frames: beyond it the second order would show.
    private static let linearRange = 0.1
    /// A window at six times the song's rate, and some.
    private static let capacity = 1_024

    init(_ performance: Performance) {
        self.performance = performance
        angular = 2 * .pi * performance.song.frequencies[0]
        windows = Array(repeating: nil, count: performance.song.windowCount)
        heard = .allocate(capacity: Self.capacity)
        values = .allocate(capacity: Self.capacity)
        slopes = .allocate(capacity: Self.capacity)
    }

    deinit {
        heard.deallocate()
        values.deallocate()
        slopes.deallocate()
    }

    /// The last window that was ended. Nothing more of the performance is due after `windows.count`.
    var isOver: Bool { current.map { $0 >= windows.count } ?? false }

    /// Whether it was cut more than half a second before this time: nothing is compared with it any more.
    func isCut(at seconds: Double) -> Bool { performance.cut.map { seconds > $0 + 0.5 } ?? false }

    /// Takes samples that leave the loudspeaker evenly from `start` on. Returns how many belong to the performance's
    /// time at all.
    func hear(_ samples: UnsafeBufferPointer<Float>, from start: Double, spacing: Double) -> Range<Int> {
        noteMove()
        guard let first = performance.position(at: start),
            let last = performance.position(at: start + spacing * Double(samples.count))
        else { return 0..<0 }
        let step = (last - first) / Double(samples.count)
        // Nothing is due evenly while the broadcaster's clock steps.
        guard abs(step / (spacing * VirtualSong.sampleRate) - 1) < 0.1 else {
            finishWindow(next: nil)
            if last < first { forget(from: last) }
            return samples.indices
        }
        var belonging: Range<Int>?
        var index = 0
        while index < samples.count {
            let position = first + Double(index) * step
            let window = Int(((position + Double(HeardWindow.lead)) / Double(HeardWindow.frameCount)).rounded(.down))
            let boundary = Double((window + 1) * HeardWindow.frameCount - HeardWindow.lead)
            let count = min(samples.count - index, max(1, Int(((boundary - position) / step).rounded(.up))))
            if window != current { finishWindow(next: window) }
            if wasHeard(before: position + Double(count) * step) {
                index += count
                continue
            }
            if windows.indices.contains(window) {
                gather(UnsafeBufferPointer(rebasing: samples[index..<index + count]), at: position, step: step)
                belonging = (belonging?.lowerBound ?? index)..<(index + count)
            }
            index += count
        }
        return belonging ?? 0..<0
    }

    /// What was due later, or sooner, is due so much later from now on.
    func shift(to offset: TimeSpan) {
        guard performance.shift != offset, !isOver else { return }
        finishWindow(next: nil)
        performance.shift = offset
    }

    /// The device's time axis broke: what is gathered stands for itself.
    func interrupt() { finishWindow(next: nil) }

    /// The timeline was moved: what was to be due in the meantime counts when it is.
    private func noteMove() {
        let moves = performance.moves
        guard moves.count != moveCount else { return }
        moveCount = moves.count
        finishWindow(next: nil)
        forget(from: Double(moves.frame))
    }

    /// Whether all before a place was heard before the timeline was moved: it is not due again. 10 ms are for a fade.
    private func wasHeard(before position: Double) -> Bool {
        moveCount > 0 && position < Double(performance.moves.frame) - VirtualSong.sampleRate * 0.01
    }

    /// The broadcaster's clock was put back: what was due after this place is due again, and counts then.
    private func forget(from position: Double) {
        let window = Int(((position + Double(HeardWindow.lead)) / Double(HeardWindow.frameCount)).rounded(.down)) + 1
        for index in windows.indices where index >= window { windows[index] = nil }
    }

    private func gather(_ samples: UnsafeBufferPointer<Float>, at position: Double, step: Double) {
        let first = count
        if first == 0 { windowStart = position }
        windowStep = step
        let added = min(samples.count, Self.capacity - first)
        count = first + added
        for index in 0..<added { heard[first + index] = Double(samples[index]) }
        makeSong(at: position, step: step, range: first..<first + added)
    }

    private func makeSong(at position: Double, step: Double, range: Range<Int>) {
        var tones = ToneBank(song: performance.song, at: position, step: step)
        for index in range { (values[index], slopes[index]) = tones.next() }
        guard !performance.song.isSteady(position...(position + step * Double(range.count))) else { return }
        for index in range {
            let envelope = performance.song.envelope(at: position + Double(index - range.lowerBound) * step)
            slopes[index] = slopes[index] * envelope.value + values[index] * envelope.slope
            values[index] *= envelope.value
        }
    }

    private func finishWindow(next: Int?) {
        if let current, windows.indices.contains(current), count > 0, windows[current] == nil {
            windows[current] = judge()
        }
        count = 0
        current = next
    }

    private func judge() -> HeardWindow {
        var peak = 0.0
        for index in 0..<count { peak = max(peak, abs(heard[index])) }
        guard Float(peak) > HeardWindow.silencePeak else {
            return HeardWindow(
                content: .silence, lateness: .zero, gain: 0, residual: 0, peak: Float(peak), sampleCount: count)
        }
        let nearest = comparison(at: 0)
        guard nearest.content != .song, !nearest.isSong(atGain: nearest.gain) else { return nearest }
        // A whole period of the first tone away the comparison fits nearly as well.
        let others = [-1.0, 1].map { periods in
            var window = comparison(
                at: -nearest.lateness.seconds * VirtualSong.sampleRate + periods * 2 * .pi / angular)
            window.content = .other
            return window
        }
        return others.reduce(nearest) { $0.residual <= $1.residual ? $0 : $1 }
    }

    /// Compares what was heard with the song about so many frames before its place.
    private func comparison(at guess: Double) -> HeardWindow {
        var early = guess
        if guess != 0 { makeSong(at: windowStart + early, step: windowStep, range: 0..<count) }
        var fit = fit()
        var correction = self.early(fit)
        early += correction
        if abs(correction) > Self.linearRange {
            makeSong(at: windowStart + early, step: windowStep, range: 0..<count)
            fit = self.fit()
            correction = self.early(fit)
            early += correction
        }
        var (peak, residual) = (0.0, 0.0)
        for index in 0..<count {
            let song = fit.x * values[index] + (fit.y + fit.z * time(index)) * slopes[index]
            residual = max(residual, abs(heard[index] - song))
            peak = max(peak, abs(heard[index]))
        }
        let gain = hypot(fit.x, fit.y * angular)
        let isSong =
            Float(residual) < HeardWindow.residualLimit && abs(Float(gain) - 1) < HeardWindow.gainTolerance
        return HeardWindow(
            content: isSong ? .song : .other, lateness: TimeSpan(seconds: -early / VirtualSong.sampleRate),
            gain: Float(gain), residual: Float(residual), peak: Float(peak), sampleCount: count)
    }

    private func early(_ fit: SIMD3<Double>) -> Double { atan2(fit.y * angular, fit.x) / angular }

    /// From -1 at the window's front to 1 at its end.
    @inline(__always)
    private func time(_ index: Int) -> Double { 2 * Double(index) / Double(count) - 1 }

    /// Least squares of what was heard on the song, its slope, and its slope times time.
    private func fit() -> SIMD3<Double> {
        var (a, b, c) = (SIMD3<Double>(), SIMD3<Double>(), SIMD3<Double>())
        var right = SIMD3<Double>()
        for index in 0..<count {
            let row = SIMD3(values[index], slopes[index], slopes[index] * time(index))
            a += row * row.x
            b += row * row.y
            c += row * row.z
            right += row * heard[index]
        }
        let determinant = Self.determinant(a, b, c)
        guard determinant > 1e-9 else { return SIMD3() }
        return SIMD3(
            Self.determinant(right, b, c), Self.determinant(a, right, c), Self.determinant(a, b, right)
        ) / determinant
    }

    private static func determinant(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) -> Double {
        a.x * (b.y * c.z - b.z * c.y) - b.x * (a.y * c.z - a.z * c.y) + c.x * (a.y * b.z - a.z * b.y)
    }
}
