import AudioCore
import AudioDecoding
import Playout

/// Takes the packets of epochs that follow one another, and returns tasks for them: the part of a packet feeder that
/// does not decode, so that its callers never wait.
struct PacketIntake {
    /// How far an epoch's decoding has come.
    private enum Stage {
        /// Packets are already taken.
        case awaitingDecoder
        case decoding
        /// No more packets are taken; what was decoded is heard.
        case failed
    }

    private struct Item {
        let epoch: FeederEpoch
        var queue = PacketQueue()
        /// Where the sound continues if the packets to come follow a gap.
        var reentry: FramePosition?
        var stage = Stage.awaitingDecoder
        /// Where the next packet begins if none is missing; nil before the first.
        var expected: FramePosition?
        /// The first audible frame: the stream's or, after a gap, where the sound continues.
        var firstFrame: FramePosition
        var end: FramePosition?
        /// Whether no packet follows the queued ones.
        var isComplete = false
        /// Whether its sound is to end before what it holds.
        var isCut = false

        /// Whether no more is to be decoded.
        var isDecoded: Bool {
            if stage == .failed { return true }
            guard isComplete, queue.count == 0, let end else { return false }
            return epoch.rendition.ring.writePosition >= end
        }

        /// Queued song time.
        var queuedSeconds: Double { Double(queue.frameCount) / epoch.rendition.sampleRate }

        /// The packet's audible frames, counted from its first.
        func audibleRange(of packet: QueuedPacket) -> Range<Int> {
            let first = max(packet.frame, firstFrame)
            let last = min(packet.end, end ?? packet.end)
            guard first < last else { return 0..<0 }
            return Int(first - packet.frame)..<Int(last - packet.frame)
        }

        /// Returns its next task.
        mutating func next(_ counters: inout PacketFeederSnapshot) -> FeederTask.Work {
            if stage == .awaitingDecoder {
                stage = .decoding
                return .makeDecoder
            }
            let ring = epoch.rendition.ring
            guard let packet = queue.first else { return closeTail(ring, &counters) }

            let start = expected ?? min(packet.frame, epoch.stream.firstFrame)
            if packet.frame > start {
                guard ring.writableFrameCount >= epoch.rampFrameCount else { return .wait(.ringFull) }
                firstFrame = max(firstFrame, packet.firstFrame ?? packet.frame)
                return noteGap(from: start, to: packet.frame, &counters)
            }
            let audible = audibleRange(of: packet)
            // Frames before the first audible one take no room.
            guard audible.isEmpty || ring.writableFrameCount >= audible.count else { return .wait(.ringFull) }
            expected = packet.end
            _ = queue.removeFirst()
            return .decode(packet, audible: audible)
        }

        /// Fills what is missing at the end with silence, once no packet can fill it any more.
        private mutating func closeTail(
            _ ring: FrameRing, _ counters: inout PacketFeederSnapshot
        ) -> FeederTask.Work {
            let start = ring.writePosition
            guard isComplete, let end, start < end else { return .wait(.idle) }
            guard ring.writableFrameCount >= epoch.rampFrameCount else { return .wait(.ringFull) }
            return noteGap(from: start, to: end, &counters)
        }

        /// Counts a gap, and returns the task that fills it with silence.
        private mutating func noteGap(
            from start: FramePosition, to gapEnd: FramePosition, _ counters: inout PacketFeederSnapshot
        ) -> FeederTask.Work {
            counters.gapCount += 1
            counters.missingFrameCount &+= gapEnd - start
            expected = gapEnd
            return .skip(to: min(gapEnd, end ?? gapEnd))
        }
    }

    private let limits: TimelineQueueLimits
    /// The epochs with something to decode, in their order; the newest one in any case.
    private var items: [Item] = []
    private var counters = PacketFeederSnapshot()

    init(limits: TimelineQueueLimits) { self.limits = limits }

    /// Drops all epochs, and makes the rendition of a new one. Making its decoder is the first task.
    /// - Throws: if no decoder can have such a format; there is no epoch then.
    mutating func begin(_ stream: TimelineQueueStream) throws(AudioDecodingError) -> Rendition {
        flush()
        return try append(stream)
    }

    /// Makes the rendition of an epoch that stands behind all others. Its packets are decoded once theirs are.
    /// - Throws: if no decoder can have such a format; nothing has changed then.
    mutating func append(_ stream: TimelineQueueStream) throws(AudioDecodingError) -> Rendition {
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
        items.append(
            Item(epoch: FeederEpoch(stream: stream, rendition: rendition), firstFrame: stream.firstFrame))
        return rendition
    }

    /// Enqueues a copy of one packet of an epoch; its first frame is at `frame`.
    mutating func enqueue(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        let admission = append(
            byteCount: bytes.byteCount, place: 0, frame: frame, frameCount: frameCount, epoch: epoch)
        if admission == .accepted, let index = index(of: epoch) {
            items[index].queue.setBlock(bytes.withUnsafeBytes { [UInt8]($0) }, ofLast: 1)
        }
        return admission
    }

    /// Enqueues copies of consecutive packets of an epoch; the first one's first frame is at `position`. The
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
            if block.isEmpty, queuedByteCount + data.byteCount <= limits.queuedByteCount {
                block.reserveCapacity(data.byteCount)
            }
            data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount).withUnsafeBytes {
                block.append(contentsOf: $0)
            }
        }
        if let index = index(of: epoch) { items[index].queue.setBlock(block, ofLast: count) }
        return count
    }

    /// Appends a packet if it is admitted; its bytes follow in `setBlock`.
    private mutating func append(
        byteCount: Int, place: Int, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        guard let index = index(of: epoch) else { return .notPlaying }
        var admission = admit(byteCount, frame: frame, frameCount: frameCount, to: index)
        if admission == .full {
            giveWay(to: frame + Int64(frameCount), in: index)
            admission = admit(byteCount, frame: frame, frameCount: frameCount, to: index)
        }
        switch admission {
        case .accepted:
            items[index].queue.append(
                QueuedPacket(
                    block: [], range: place..<place + byteCount, frame: frame, frameCount: frameCount,
                    firstFrame: items[index].reentry))
        case .stale: counters.stalePacketCount += 1
        case .full: counters.refusedPacketCount += 1
        case .invalid: counters.invalidPacketCount += 1
        case .notPlaying: break
        }
        return admission
    }

    mutating func reenter(at frame: FramePosition, epoch: Epoch) {
        if let index = index(of: epoch) { items[index].reentry = frame }
    }

    mutating func finish(at end: FramePosition, packetsFollow: Bool, epoch: Epoch) {
        guard let index = index(of: epoch) else { return }
        items[index].end = end
        items[index].isComplete = !packetsFollow
    }

    /// Has what stands behind this epoch be decoded before the rest of it.
    mutating func cut(_ epoch: Epoch) {
        if let index = index(of: epoch) { items[index].isCut = true }
    }

    /// The same for several epochs.
    mutating func cut(where isCut: (Epoch) -> Bool) {
        for index in items.indices where isCut(items[index].epoch.stream.epoch) { items[index].isCut = true }
    }

    /// Has the epoch be decoded as before the cut.
    mutating func resume(_ epoch: Epoch) {
        if let index = index(of: epoch) { items[index].isCut = false }
    }

    /// Drops all epochs and queued packets; interrupts whoever waits for their decoders.
    mutating func flush() { drop { _ in true } }

    /// Drops some epochs and their queued packets; interrupts whoever waits for their decoders.
    /// - Returns: whether there was one.
    @discardableResult
    mutating func drop(where isDropped: (Epoch) -> Bool) -> Bool {
        let dropped = items.filter { isDropped($0.epoch.stream.epoch) }
        for item in dropped { item.epoch.end() }
        items.removeAll(where: \.epoch.isOver)
        return !dropped.isEmpty
    }

    /// Frames in the first epoch's ring that may still be heard.
    var decodedFrameCount: Int { items.first?.epoch.rendition.ring.readableFrameCount ?? 0 }

    /// How many epochs are known, with the one that plays.
    var epochCount: Int { items.count }

    var decodedSpan: TimeSpan {
        TimeSpan(
            seconds: items.reduce(0) { sum, item in
                let rendition = item.epoch.rendition
                return sum + Double(rendition.ring.readableFrameCount) / rendition.sampleRate
            })
    }

    var snapshot: PacketFeederSnapshot {
        var snapshot = counters
        for item in items {
            snapshot.queuedPacketCount += item.queue.count
            snapshot.queuedSpan += TimeSpan(seconds: item.queuedSeconds)
        }
        snapshot.queuedByteCount = queuedByteCount
        guard let present = items.first else { return snapshot }
        snapshot.queuedFrameCount = present.queue.frameCount
        snapshot.epoch = present.epoch.stream.epoch
        snapshot.sampleRate = present.epoch.rendition.sampleRate
        snapshot.decodedEnd = present.epoch.decodedEnd
        snapshot.damagedPacketCount = present.epoch.damagedPacketCount
        return snapshot
    }

    // MARK: For who decodes

    /// Returns the next task; the previous one is done. One thread at a time asks and performs, since a ring has one
    /// writer.
    ///
    /// An epoch comes to its turn once all before it are decoded or cut, so that a slow decoder keeps nothing waiting
    /// that is due sooner.
    mutating func next() -> FeederTask {
        dropDecoded()
        var task = FeederTask(epoch: nil, work: .wait(.idle))
        for index in items.indices {
            task = FeederTask(epoch: items[index].epoch, work: items[index].next(&counters))
            guard case .wait = task.work, items[index].isDecoded || items[index].isCut else { return task }
        }
        return task
    }

    /// Drops what is decoded, except the newest epoch.
    private mutating func dropDecoded() {
        while items.count > 1, items[0].isDecoded { items.removeFirst().epoch.end() }
    }

    /// Reports that a task failed.
    mutating func fail(_ task: FeederTask, _ error: AudioDecodingError) -> PacketFeederStep {
        // Failures of an epoch that is over do not matter.
        guard let index = items.firstIndex(where: { $0.epoch === task.epoch }) else { return .fed }
        if case .makeDecoder = task.work {
            items.remove(at: index).epoch.end()
            return .cannotDecode(error)
        }
        items[index].stage = .failed
        items[index].isComplete = true
        items[index].queue.removeAll()
        return .failed(error)
    }

    // MARK: Admission

    private var queuedByteCount: Int { items.reduce(0) { $0 + $1.queue.byteCount } }

    private func index(of epoch: Epoch) -> Int? { items.firstIndex { $0.epoch.stream.epoch == epoch } }

    private func admit(
        _ byteCount: Int, frame: FramePosition, frameCount: Int, to index: Int
    ) -> TimelineQueueAdmission {
        let item = items[index]
        guard item.stage != .failed else { return .notPlaying }
        guard byteCount <= Limits.packetByteCount, (1...Limits.packetFrameCount).contains(frameCount),
            TimelineQueueLimits.positionRange.contains(frame.index)
        else { return .invalid }
        if let expected = item.queue.last?.end ?? item.expected, frame < expected { return .stale }
        let queuedFrames = (frame + Int64(frameCount)) - (item.queue.first?.frame ?? frame)
        guard queuedByteCount + byteCount <= limits.queuedByteCount,
            Double(queuedFrames) <= queuedSeconds(of: index) * item.epoch.rendition.sampleRate || item.queue.count == 0
        else { return .full }
        return .accepted
    }

    /// How much song time an epoch may queue: what the others leave. What a cut one holds does not count, since it is
    /// either the next to be heard or void.
    private func queuedSeconds(of index: Int) -> Double {
        var seconds = limits.queuedSpan.seconds
        for other in items.indices where other != index && !items[other].isCut {
            seconds -= items[other].queuedSeconds
        }
        return seconds
    }

    /// Drops queued packets from before the newest re-entry that are further back than any packet is sent ahead. They
    /// were due while this machine slept, and would keep out what can still be heard.
    /// - Parameter end: the frame after the new packet, which itself is no further than that behind the re-entry.
    private mutating func giveWay(to end: FramePosition, in index: Int) {
        guard let reentry = items[index].reentry, TimelineQueueLimits.positionRange.contains(reentry.index) else {
            return
        }
        let span = limits.queuedSpan.seconds * items[index].epoch.rendition.sampleRate
        guard Double(end - reentry) <= span else { return }
        while let first = items[index].queue.first, first.firstFrame != reentry, Double(end - first.frame) > span {
            _ = items[index].queue.removeFirst()
            counters.stalePacketCount += 1
        }
    }
}
