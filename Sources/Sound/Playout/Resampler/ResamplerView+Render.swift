import CResampling

// Renders one piece. The song frames under the filter are laid out in planes, one per lane, with silence where the song
// has no frames. Every output frame is then the inner product of its plane and the weights of its phase.
//
// An output frame depends only on its position and the song's frames, computed in one fixed order, so pieces may be cut
// anywhere.

extension ResamplerView {
    /// Renders up to ``Resampler/pieceFrameCount`` frames into `output` (interleaved), the first at `position`.
    ///
    /// Frames outside `audible` or not in the ring are silence.
    @inline(__always)
    func render(
        from ring: UnsafeMutablePointer<FrameRingStorage>, audible: Range<Int64>, position: FixedPosition,
        step: FixedPosition, count: Int, into output: UnsafeMutablePointer<Float>
    ) {
        let isCopy = step.fraction == 0 && step.whole == 1 && position.fraction == 0
        let last = position.advanced(by: step, times: count - 1)
        let begin = isCopy ? position.whole : position.whole &- Int64(reach) &+ 1
        let span = Int(last.whole &- position.whole) + (isCopy ? 1 : table.tap_count)
        guard span <= planeStride else {
            output.update(repeating: 0, count: count * deviceChannelCount)
            return
        }
        gather(from: ring, audible: audible, begin: begin, span: span)
        if isCopy {
            for lane in 0..<laneCount {
                outputPlane(lane).update(from: planes + lane * planeStride, count: count)
            }
        } else {
            filter(position: position, step: step, count: count, begin: begin)
        }
        interleave(count: count, into: output)
    }

    @inline(__always)
    private func outputPlane(_ lane: Int) -> UnsafeMutablePointer<Float> {
        planes + laneCount * planeStride + lane * Resampler.pieceFrameCount
    }

    // MARK: Song frames to planes

    @inline(__always)
    private func gather(
        from ring: UnsafeMutablePointer<FrameRingStorage>, audible: Range<Int64>, begin: Int64, span: Int
    ) {
        let readable = ring.pointee.readable
        let end = begin &+ Int64(span)
        let lower = min(end, max(begin, audible.lowerBound, readable.floor))
        let upper = max(lower, min(end, audible.upperBound, readable.end))
        let leading = Int(lower &- begin)
        let present = Int(upper &- lower)
        for lane in 0..<laneCount {
            let plane = planes + lane * planeStride
            plane.update(repeating: 0, count: leading)
            (plane + leading + present).update(repeating: 0, count: span - leading - present)
        }
        ring.pointee.forEachReadableRun(at: lower, count: present) { samples, offset, frames in
            if foldsBefore {
                fold(samples, frames: frames, at: leading + offset)
            } else {
                split(samples, frames: frames, at: leading + offset)
            }
        }
    }

    @inline(__always)
    private func split(_ samples: UnsafePointer<Float>, frames: Int, at offset: Int) {
        let channels = songChannelCount
        if channels == 2 {
            tutti_split_stereo(samples, frames, planes + offset, planes + planeStride + offset)
            return
        }
        for lane in 0..<channels {
            let plane = planes + lane * planeStride + offset
            var source = samples + lane
            for frame in 0..<frames {
                plane[frame] = source.pointee
                source += channels
            }
        }
    }

    @inline(__always)
    private func fold(_ samples: UnsafePointer<Float>, frames: Int, at offset: Int) {
        for lane in 0..<laneCount {
            let plane = planes + lane * planeStride + offset
            let row = gains + lane * songChannelCount
            var source = samples
            for frame in 0..<frames {
                var sum: Float = 0
                for channel in 0..<songChannelCount { sum += source[channel] * row[channel] }
                plane[frame] = sum
                source += songChannelCount
            }
        }
    }

    // MARK: The filter

    @inline(__always)
    private func filter(position: FixedPosition, step: FixedPosition, count: Int, begin: Int64) {
        // The first tap is `reach - 1` frames before the position's whole part.
        let firstTap = position.whole &- begin &- Int64(reach) &+ 1
        var table = table
        var input = tutti_planes(samples: planes, stride: planeStride, lane_count: laneCount)
        var output = tutti_planes(
            samples: outputPlane(0), stride: Resampler.pieceFrameCount, lane_count: laneCount)
        tutti_resample(
            &table, tutti_position(whole: firstTap, fraction: position.fraction),
            tutti_position(whole: step.whole, fraction: step.fraction), count, &input, &output)
    }

    // MARK: Planes to device frames

    @inline(__always)
    private func interleave(count: Int, into output: UnsafeMutablePointer<Float>) {
        let channels = deviceChannelCount
        if channels == 2, laneCount == 2 {
            tutti_join_stereo(outputPlane(0), outputPlane(1), count, output)
            return
        }
        for channel in 0..<channels {
            var target = output + channel
            // Each channel takes its own lane, the single lane, or silence.
            let lane = laneCount == 1 && channel < 2 ? 0 : channel
            guard lane < laneCount else {
                for _ in 0..<count {
                    target.pointee = 0
                    target += channels
                }
                continue
            }
            let plane = outputPlane(lane)
            for frame in 0..<count {
                target.pointee = plane[frame]
                target += channels
            }
        }
    }
}
