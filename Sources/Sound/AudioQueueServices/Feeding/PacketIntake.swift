import AudioCore
import AudioDecoding
import Playout

/// Takes an epoch's packets, and returns tasks for them: the part of a packet feeder that does not decode, so that its
/// callers never wait.
struct PacketIntake {
    /// How far the present epoch's decoding has come.
    private enum Stage {
        /// Packets are already taken.
        case awaitingDecoder
        case decoding
        /// No more packets are taken; what was decoded is heard.
        case failed
    }

    private struct Current {
        let epoch: FeederEpoch
        var stage = Stage.awaitingDecoder
        /// Where the next packet begins if none is missing; nil before the first.
        var expected: FramePosition?
        /// The first audible frame: the stream's or, after a gap, where the sound continues.
        var firstFrame: FramePosition
        var end: FramePosition?
        /// Whether no packet follows the queued ones.
        var isComplete = false

        /// The packet's audible frames, counted from its first.
        func audibleRange(of packet: QueuedPacket) -> Range<Int> {
            let first = max(packet.frame, firstFrame)
            let last = min(packet.end, end ?? packet.end)
            guard first < last else { return 0..<0 }
            return Int(first - packet.frame)..<Int(last - packet.frame)
        }
    }

    private let limits: TimelineQueueLimits
    private var queue = PacketQueue()
    private var current: Current?
    /// Where the sound continues if the packets to come follow a gap.
    private var reentry: FramePosition?
    private var counters = PacketFeederSnapshot()

    init(limits: TimelineQueueLimits) { self.limits = limits }

    /// Drops the previous epoch, and makes the rendition of a new one. Making its decoder is the first task.
    /// - Throws: if no decoder can have such a format; there is no epoch then.
    mutating func begin(_ stream: TimelineQueueStream) throws(AudioDecodingError) -> Rendition {
        flush()
        guard TimelineQueueLimits.positionRange.contains(stream.firstFrame.index) else {
            throw .unsupportedFormat("it begins at \(stream.firstFrame)")
        }
        let format = stream.format
        guard Limits.sampleRateRange.contains(format.sampleRate), Limits.channelRange.contains(format.channelsPerFrame)
        else { throw .unsupportedFormat("\(format.channelsPerFrame) channels at \(format.sampleRate) Hz") }
        let rendition = Rendition(
            epoch: stream.epoch, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame,
            firstFrame: stream.firstFrame, fadesIn: stream.fadesIn, gain: stream.gain,
            capacity: Int(limits.decodedSpan.seconds * format.sampleRate))
        current = Current(
            epoch: FeederEpoch(stream: stream, rendition: rendition), firstFrame: stream.firstFrame)
        return rendition
    }

    /// Enqueues a copy of one packet of the current epoch; its first frame is at `frame`.
    mutating func enqueue(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        let admission = append(
            byteCount: bytes.byteCount, place: 0, frame: frame, frameCount: frameCount, epoch: epoch)
        if admission == .accepted { queue.setBlock(bytes.withUnsafeBytes { [UInt8]($0) }, ofLast: 1) }
        return admission
    }

    /// Enqueues copies of consecutive packets of the current epoch; the first one's first frame is at `position`. The
    /// accepted packets share one block of memory, which contains no others.
    /// - Parameter packets: each within `data`.
    /// - Returns: how many were accepted.
    mutating func enqueue(
        _ packets: Span<AudioPacketDescription>, data: RawSpan, at position: FramePosition, epoch: Epoch
    ) -> Int {
        var block: [UInt8] = []
        var frame = position
        var count = 0
        for index in packets.indices {
            let packet = packets[index]
            let admission = append(
                byteCount: packet.byteCount, place: block.count, frame: frame, frameCount: packet.frameCount,
                epoch: epoch)
            frame += Int64(packet.frameCount)
            guard admission == .accepted else { continue }
            count += 1
            if block.isEmpty, queue.byteCount + data.byteCount <= limits.queuedByteCount {
                block.reserveCapacity(data.byteCount)
            }
            data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount).withUnsafeBytes {
                block.append(contentsOf: $0)
            }
        }
        queue.setBlock(block, ofLast: count)
        return count
    }

    /// Appends a packet if it is admitted; its bytes follow in `setBlock`.
    private mutating func append(
        byteCount: Int, place: Int, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        var admission = admit(byteCount, frame: frame, frameCount: frameCount, epoch: epoch)
        if admission == .full {
            giveWay(to: frame + Int64(frameCount))
            admission = admit(byteCount, frame: frame, frameCount: frameCount, epoch: epoch)
        }
        switch admission {
        case .accepted:
            queue.append(
                QueuedPacket(
                    block: [], range: place..<place + byteCount, frame: frame, frameCount: frameCount,
                    firstFrame: reentry))
        case .stale: counters.stalePacketCount += 1
        case .full: counters.refusedPacketCount += 1
        case .invalid: counters.invalidPacketCount += 1
        case .notPlaying: break
        }
        return admission
    }

    mutating func reenter(at frame: FramePosition, epoch: Epoch) {
        if isCurrent(epoch) { reentry = frame }
    }

    mutating func finish(at end: FramePosition, packetsFollow: Bool, epoch: Epoch) {
        guard isCurrent(epoch) else { return }
        current?.end = end
        current?.isComplete = !packetsFollow
    }

    /// Drops the current epoch and all queued packets; interrupts whoever waits for its decoder.
    mutating func flush() {
        current?.epoch.interrupt.interrupt()
        queue.removeAll()
        current = nil
        reentry = nil
    }

    /// Frames in the ring that may still be heard.
    var decodedFrameCount: Int { current?.epoch.rendition.ring.readableFrameCount ?? 0 }
    var decodedSpan: TimeSpan {
        TimeSpan(seconds: current.map { Double(decodedFrameCount) / $0.epoch.rendition.sampleRate } ?? 0)
    }

    var snapshot: PacketFeederSnapshot {
        var snapshot = counters
        snapshot.queuedPacketCount = queue.count
        snapshot.queuedByteCount = queue.byteCount
        snapshot.queuedFrameCount = queue.frameCount
        guard let epoch = current?.epoch else { return snapshot }
        snapshot.epoch = epoch.stream.epoch
        snapshot.sampleRate = epoch.rendition.sampleRate
        snapshot.decodedEnd = epoch.decodedEnd
        snapshot.damagedPacketCount = epoch.damagedPacketCount
        return snapshot
    }

    // MARK: For who decodes

    /// Returns the next task; the previous one is done. One thread at a time asks and performs, since the ring has one
    /// writer.
    mutating func next() -> FeederTask {
        guard var present = current else { return FeederTask(epoch: nil, work: .wait(.idle)) }
        let work = next(&present)
        current = present
        return FeederTask(epoch: present.epoch, work: work)
    }

    /// Reports that a task failed.
    mutating func fail(_ task: FeederTask, _ error: AudioDecodingError) -> PacketFeederStep {
        // Failures of an epoch that is over do not matter.
        guard let epoch = task.epoch, current?.epoch === epoch else { return .fed }
        if case .makeDecoder = task.work {
            flush()
            return .cannotDecode(error)
        }
        current?.stage = .failed
        current?.isComplete = true
        queue.removeAll()
        return .failed(error)
    }

    private mutating func next(_ present: inout Current) -> FeederTask.Work {
        if present.stage == .awaitingDecoder {
            present.stage = .decoding
            return .makeDecoder
        }
        let ring = present.epoch.rendition.ring
        guard let packet = queue.first else { return closeTail(&present, ring) }

        let start = present.expected ?? min(packet.frame, present.epoch.stream.firstFrame)
        if packet.frame > start {
            guard ring.writableFrameCount >= present.epoch.rampFrameCount else { return .wait(.ringFull) }
            present.firstFrame = max(present.firstFrame, packet.firstFrame ?? packet.frame)
            return noteGap(&present, from: start, to: packet.frame)
        }
        let audible = present.audibleRange(of: packet)
        // Frames before the first audible one take no room.
        guard audible.isEmpty || ring.writableFrameCount >= audible.count else { return .wait(.ringFull) }
        present.expected = packet.end
        _ = queue.removeFirst()
        return .decode(packet, audible: audible)
    }

    /// Fills what is missing at the end with silence, once no packet can fill it any more.
    private mutating func closeTail(_ present: inout Current, _ ring: FrameRing) -> FeederTask.Work {
        let start = ring.writePosition
        guard present.isComplete, let end = present.end, start < end else { return .wait(.idle) }
        guard ring.writableFrameCount >= present.epoch.rampFrameCount else { return .wait(.ringFull) }
        return noteGap(&present, from: start, to: end)
    }

    /// Counts a gap, and returns the task that fills it with silence.
    private mutating func noteGap(
        _ present: inout Current, from start: FramePosition, to end: FramePosition
    ) -> FeederTask.Work {
        counters.gapCount += 1
        counters.missingFrameCount &+= end - start
        present.expected = end
        return .skip(to: min(end, present.end ?? end))
    }

    // MARK: Admission

    private func isCurrent(_ epoch: Epoch) -> Bool { current?.epoch.stream.epoch == epoch }

    private func admit(
        _ byteCount: Int, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        guard let current, current.epoch.stream.epoch == epoch, current.stage != .failed else { return .notPlaying }
        guard byteCount <= Limits.packetByteCount, (1...Limits.packetFrameCount).contains(frameCount),
            TimelineQueueLimits.positionRange.contains(frame.index)
        else { return .invalid }
        if let expected = queue.last?.end ?? current.expected, frame < expected { return .stale }
        let queuedFrames = (frame + Int64(frameCount)) - (queue.first?.frame ?? frame)
        guard queue.byteCount + byteCount <= limits.queuedByteCount,
            Double(queuedFrames) <= limits.queuedSpan.seconds * current.epoch.rendition.sampleRate || queue.count == 0
        else { return .full }
        return .accepted
    }

    /// Drops queued packets from before the newest re-entry that are further back than any packet is sent ahead. They
    /// were due while this machine slept, and would keep out what can still be heard.
    /// - Parameter end: the frame after the new packet, which itself is no further than that behind the re-entry.
    private mutating func giveWay(to end: FramePosition) {
        guard let current, let reentry, TimelineQueueLimits.positionRange.contains(reentry.index) else { return }
        let span = limits.queuedSpan.seconds * current.epoch.rendition.sampleRate
        guard Double(end - reentry) <= span else { return }
        while let first = queue.first, first.firstFrame != reentry, Double(end - first.frame) > span {
            _ = queue.removeFirst()
            counters.stalePacketCount += 1
        }
    }
}
