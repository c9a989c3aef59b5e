import AudioCore
import WireProtocol

/// What a listener holds of a broadcast: the epoch that is heard, and those that stand behind it.
///
/// Every message of the media part names its epoch. A new epoch stands behind the newest one until it is heard; then
/// the older ones are over.
struct ReceivedTimeline {
    /// Oldest first.
    private var epochs: [ReceivedEpoch] = []
    /// The epoch that was heard before these. The audio queue begins to render the next one as long before it is due as
    /// the sound card's buffer lasts, and a cut of this one that comes in that time acts all the same.
    private var former: ReceivedEpoch?
    /// Those that the audio queue holds and this listener, which heard nothing of them, does not any more.
    private var forgotten: [Epoch] = []
    /// The epoch whose properties come.
    private var described: Epoch?
    /// Over all epochs.
    var losses = LossTally()

    /// The epoch that is heard, or will be heard next.
    var heard: ReceivedEpoch? { epochs.first }

    /// The epoch whose packets come.
    var newest: ReceivedEpoch? { epochs.last }

    /// The anchor that was placed last in the order of the timeline.
    var lastAnchor: Anchor? { epochs.last { $0.anchor != nil }?.anchor }

    /// Returns the epoch that the audio queue knows by this number.
    func epoch(inQueue queueEpoch: Epoch) -> ReceivedEpoch? { epochs.first { $0.queueEpoch == queueEpoch } }

    /// Those whose sound has a place on the clock, oldest first.
    var placed: [ReceivedEpoch] { epochs.filter { $0.hasBegun && $0.anchor != nil && $0.cut == nil } }

    /// Whether the newest epoch's last frame was heard.
    var hasHeardEnd: Bool { newest?.hasHeardEnd ?? false }

    /// Whether an epoch that the audio queue was told of stands before the newest one. The former may sound still.
    var newestFollows: Bool { former != nil || epochs.dropLast().contains(where: \.hasBegun) }

    // MARK: Changes

    /// Adds an epoch behind the newest one.
    /// - Returns: false if it is not newer than that: the same epoch comes again over a replaced connection.
    mutating func append(_ id: Epoch, queueEpoch: Epoch) -> Bool {
        described = id
        guard newest.map({ $0.id < id }) ?? true else { return false }
        // One that the audio queue knows nothing of cannot be heard any more.
        epochs.removeAll { !$0.hasBegun }
        if epochs.count == ListenLimits.heldEpochCount {
            let oldest = epochs.removeFirst()
            if !oldest.hasStarted { forgotten.append(oldest.queueEpoch) }
        }
        epochs.append(ReceivedEpoch(id, queueEpoch: queueEpoch))
        return true
    }

    /// Takes a property of the epoch that was announced last.
    mutating func note(_ property: AudioStreamProperty) {
        guard let index = epochs.firstIndex(where: { $0.id == described }) else { return }
        epochs[index].note(property)
    }

    /// Takes the frame before which an epoch's sound ends for now. Everything behind that epoch is void. One that was
    /// taken to be over is the one that is heard again.
    /// - Returns: the epoch, and those behind it that the audio queue was told of; nil if it is not held.
    mutating func cut(_ id: Epoch, at frame: FramePosition) -> (cut: ReceivedEpoch, void: [Epoch])? {
        // A cut that is known comes again over a replaced connection: what follows it stays.
        if let former, former.id == id, former.cut != frame {
            epochs.insert(former, at: 0)
            self.former = nil
        }
        guard let index = epochs.firstIndex(where: { $0.id == id }) else { return nil }
        let void = epochs[(index + 1)...].filter(\.hasBegun).map(\.queueEpoch)
        epochs.removeLast(epochs.count - 1 - index)
        epochs[index].cut(at: frame)
        return (epochs[index], void)
    }

    /// Drops the epochs before the newest one that were cut before anything of them was heard: only the newest one is
    /// resumed.
    /// - Returns: those that the audio queue was told of.
    mutating func dropUnheard() -> [Epoch] {
        let unheard = epochs.dropLast().filter(\.wasCutUnheard)
        epochs.removeAll { epoch in unheard.contains { $0.id == epoch.id } }
        return unheard.filter(\.hasBegun).map(\.queueEpoch)
    }

    /// Returns the epochs that the audio queue holds in vain, once each: without a clock it cannot know what is over.
    mutating func takeForgotten() -> [Epoch] {
        defer { forgotten = [] }
        return forgotten
    }

    /// Takes the mark where the newest epoch's sound begins, or goes on.
    /// - Returns: nil if the sound cannot begin yet.
    mutating func enter(_ mark: EntryMark) -> ReceivedEpoch.Entry? {
        guard let newest, mark.epoch == newest.id, newest.summary.isReady else { return nil }
        losses.note(mark.lostPacketCount)
        return epochs[epochs.count - 1].enter(mark)
    }

    /// Sets the position of the packets that come next; those of an older epoch are ignored.
    mutating func expectPackets(of epoch: Epoch, at position: FramePosition) {
        if !epochs.isEmpty { epochs[epochs.count - 1].expectPackets(of: epoch, at: position) }
    }

    /// Takes contiguous packets of the newest epoch.
    /// - Returns: their first frame and the one after their last; nil if their position is unknown.
    mutating func take(_ packets: [AudioPacketDescription]) -> Range<FramePosition>? {
        epochs.isEmpty ? nil : epochs[epochs.count - 1].take(packets)
    }

    /// Changes the epoch of this number.
    /// - Returns: the changed epoch; nil if it is not held.
    mutating func change(_ id: Epoch, _ body: (inout ReceivedEpoch) -> Void) -> ReceivedEpoch? {
        guard let index = epochs.firstIndex(where: { $0.id == id }) else { return nil }
        body(&epochs[index])
        return epochs[index]
    }

    /// Notes that the audio queue began to sound one of its epochs: those before it are over.
    mutating func noteStarted(_ queueEpoch: Epoch) {
        guard let index = epochs.firstIndex(where: { $0.queueEpoch == queueEpoch }) else { return }
        epochs[index].noteStarted()
        if index > 0 { leave(index) }
    }

    /// Notes that the last frame of one of the audio queue's epochs was heard.
    mutating func noteHeardEnd(of queueEpoch: Epoch) {
        guard let index = epochs.firstIndex(where: { $0.queueEpoch == queueEpoch }) else { return }
        epochs[index].noteHeardEnd()
        if index < epochs.count - 1 { leave(index + 1) }
    }

    /// Goes on to what follows the first `count` epochs.
    private mutating func leave(_ count: Int) {
        former = epochs[count - 1]
        epochs.removeFirst(count)
    }
}
