import AudioCore

/// A listener beside one loudspeaker: hears every sample at its true time, and knows what ought to be heard.
public final class Ear {
    private var ears: [PerformanceEar] = []
    private var performances: [Performance] = []
    /// Samples above -80 dBFS at times at which no performance is due.
    public private(set) var straySampleCount = 0
    /// The true times of such samples in seconds, at most one in 10 ms and ``strayMomentCount`` in all.
    public private(set) var strayMoments: [Double] = []
    private static let strayMomentCount = 1_000
    /// The true time of the first sample above -80 dBFS, and of the last, in seconds.
    public private(set) var firstSound: Double?
    public private(set) var lastSound: Double?
    /// Times at which the sound card lost its running clock.
    public private(set) var interruptionCount = 0

    init() {}

    /// - Parameter placed: the same performance, where this loudspeaker is to sound at other times than all others.
    func attend(_ performance: Performance, asPlaced placed: Performance) {
        performances.append(performance)
        ears.append(PerformanceEar(placed))
    }

    /// The loudspeaker sounds so much later than others from now on. Of no effect on what is attended as it is.
    func shift(to offset: TimeSpan) { ears.forEach { $0.shift(to: offset) } }

    func hear(_ samples: UnsafeBufferPointer<Float>, from start: Double, spacing: Double) {
        guard samples.count > 0 else { return }
        var due = 0..<0
        for ear in ears where !ear.isOver && !ear.isCut(at: start) {
            let belonging = ear.hear(samples, from: start, spacing: spacing)
            due =
                due.isEmpty
                ? belonging : min(due.lowerBound, belonging.lowerBound)..<max(due.upperBound, belonging.upperBound)
        }
        for index in samples.indices where abs(samples[index]) > HeardWindow.silencePeak {
            let time = start + spacing * Double(index)
            if firstSound == nil { firstSound = time }
            lastSound = time
            if !due.contains(index) { noteStray(time) }
        }
    }

    private func noteStray(_ time: Double) {
        straySampleCount += 1
        guard strayMoments.count < Self.strayMomentCount, strayMoments.last.map({ time > $0 + 0.01 }) ?? true else {
            return
        }
        strayMoments.append(time)
    }

    func interrupt() {
        interruptionCount += 1
        ears.forEach { $0.interrupt() }
    }

    /// Memory that what was heard takes, however long it is listened to.
    var byteCount: Int { ears.reduce(0) { $0 + $1.windows.count * MemoryLayout<HeardWindow?>.stride } }

    /// What was heard in the time of each stretch of a performance, as placed for this loudspeaker; nil where nothing
    /// was emitted at all.
    public func windows(of performance: Performance) -> [HeardWindow?] {
        performances.firstIndex { $0 === performance }.map { ears[$0].windows } ?? []
    }
}
