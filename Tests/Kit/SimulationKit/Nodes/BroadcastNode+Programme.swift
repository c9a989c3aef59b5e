import AudioCore
import Broadcasting
import WireProtocol

/// A part of a programme as it ought to sound: frames of one epoch without a break.
public struct Stretch {
    public let epoch: Epoch
    public let performance: Performance
    /// Its first frame.
    public let first: FramePosition
    /// The frame after its last one; nil while that is not known.
    public internal(set) var end: FramePosition?
    let anchor: Anchor
    /// When the broadcaster decided on it.
    public let decided: TrueTime
}

extension BroadcastNode {
    /// Takes note of what the session decided: a new stretch, or the end of one.
    func noteStretches() {
        // Asking for them copies the session.
        let placements = session.placements
        dropRevoked { stretch in
            placements.contains { placement in
                // It sounds as it was, or it was cut and goes on there later.
                placement.epoch == stretch.epoch
                    && (placement.anchor == stretch.anchor || placement.anchor?.frame == stretch.end)
            }
        }
        for placement in placements {
            guard let anchor = placement.anchor else { continue }
            let known = stretches.lastIndex { $0.epoch == placement.epoch }
            if let known, stretches[known].anchor == anchor {
                end(known, at: placement.end)
            } else if let title = placement.item.flatMap(session.title(of:)), let song = songs[title] {
                let performance = Performance(song: song, machine: machine)
                performance.anchor = anchor
                stretches.append(
                    Stretch(
                        epoch: placement.epoch, performance: performance, first: anchor.frame, anchor: anchor,
                        decided: machine.loop.now))
                onStretch(performance)
                end(stretches.count - 1, at: placement.end)
            }
        }
    }

    /// Drops stretches that had not begun when something else was decided.
    private func dropRevoked(isPlaced: (Stretch) -> Bool) {
        let now = machine.loop.now.seconds
        stretches.removeAll { stretch in
            let start = stretch.performance.seconds(of: Double(stretch.first.index)) ?? 0
            guard start > now, !isPlaced(stretch) else { return false }
            stretch.performance.cut = now
            return true
        }
    }

    private func end(_ index: Int, at frame: FramePosition?) {
        guard let frame, stretches[index].end != frame else { return }
        stretches[index].end = frame
        stretches[index].performance.cut = stretches[index].performance.seconds(of: Double(frame.index))
    }

    /// The broadcaster's own user commands.
    public func perform(_ operation: ProgrammeOperation) {
        handle(.command(Command(.programme(operation)), Asker(number: 0, name: name)))
    }
}
