extension HeardRecording {
    /// The spans between the first audible frame and the last in which nothing was heard for longer than `seconds`, in
    /// nanoseconds of the recording's clock. What lies between two segments counts as well: then the card stood still.
    public func silences(longerThan seconds: Double = 0.01, threshold: Float = 0.001) -> [ClosedRange<Double>] {
        var spans: [ClosedRange<Double>] = []
        var last: Int?
        var segment = segments.startIndex
        for frame in 0..<frameCount where isAudible(frame, above: threshold) {
            var isPastBreak = false
            while segment < segments.endIndex, segments[segment].firstFrame <= frame {
                segment += 1
                isPastBreak = true
            }
            defer { last = frame }
            guard let last, isPastBreak || Double(frame - last) > seconds * sampleRate,
                let start = time(ofFrame: Double(last)), let end = time(ofFrame: Double(frame)),
                end - start > seconds * 1e9
            else { continue }
            spans.append(start...end)
        }
        return spans
    }

    private func isAudible(_ frame: Int, above threshold: Float) -> Bool {
        samples[frame * channels..<(frame + 1) * channels].contains { abs($0) > threshold }
    }

    /// The same recording, but nothing was heard before this time.
    public func muted(before time: Double) -> HeardRecording {
        var muted = self
        for (index, segment) in segments.enumerated() {
            let first = min(Int(segment.firstFrame), frameCount)
            let elapsed = (time - Double(segment.host.nanoseconds)) * 1e-9 * segment.framesPerSecond
            let end = min(Double(endFrame(ofSegment: index)), Double(first) + elapsed.rounded(.up))
            guard end > Double(first) else { continue }
            for sample in first * channels..<Int(end) * channels { muted.samples[sample] = 0 }
        }
        return muted
    }
}
