/// Sums over the whole table.
extension SampleTable {
    /// Whether each chunk lies after the previous one and after `offset`, so that it can be played as a stream.
    func isAscending(from offset: Int64) -> Bool {
        var last = offset
        for chunk in 0..<chunkCount {
            let place = self.offset(ofChunk: chunk)
            guard place >= last else { return false }
            last = place
        }
        return true
    }

    /// Returns the media time of the first `count` samples; saturates.
    func duration(ofFirst count: Int64) -> Int64 {
        var remaining = count
        var total: Int64 = 0
        for index in 0..<timeRunCount where remaining > 0 {
            let run = timeRun(index)
            let samples = min(remaining, run.sampleCount)
            remaining -= samples
            let (time, overflows) = samples.multipliedReportingOverflow(by: run.duration)
            guard !overflows, time <= .max - total else { return .max }
            total += time
        }
        return total
    }

    /// Media time of every sample but the last; nil if it varies.
    var constantDuration: Int64? {
        guard timeRunCount > 0, timeRunCount == 1 || (timeRunCount == 2 && timeRun(1).sampleCount == 1) else {
            return nil
        }
        return timeRun(0).duration
    }

    /// Returns the sample at a media time, and the time since its start.
    func sample(atTime time: Int64) -> (sample: Int64, offset: Int64) {
        var sample: Int64 = 0
        var left = time
        for index in 0..<timeRunCount {
            let run = timeRun(index)
            let (length, overflows) = run.sampleCount.multipliedReportingOverflow(by: run.duration)
            if run.duration > 0, overflows || left < length {
                return (sample + left / run.duration, left % run.duration)
            }
            sample += run.sampleCount
            left -= length
        }
        return (sample, left)
    }
}

extension SampleTable {
    struct Totals: Equatable {
        var packetCount: Int64 = 0
        var byteCount: Int64 = 0
        /// Only for blocks.
        var frameCount: Int64 = 0
        /// Bytes of the largest packet.
        var largestByteCount: Int64 = 0
        /// Whether all packets but the last have equal lengths; only for blocks.
        var isUniform = true
    }

    /// Computes the totals; linear in the size of the tables.
    func totals(blocks: BlockLayout?) -> Totals {
        var totals = Totals()
        var hasPartialPacket = false
        var cursor = SampleTableCursor(self, blocks: blocks)
        while let place = cursor.next() {
            totals.largestByteCount = max(totals.largestByteCount, place.byteCount)
            if constantSize > 0 || blocks != nil {
                if hasPartialPacket { totals.isUniform = false }
                if let blocks { hasPartialPacket = cursor.bytesInExtent % blocks.bytesPerPacket != 0 }
                totals.byteCount += cursor.bytesInExtent
                cursor.dropExtent()
            } else {
                totals.byteCount += place.byteCount
                cursor.pass(place)
            }
        }
        totals.packetCount = cursor.packet
        totals.frameCount = cursor.frame
        return totals
    }
}
