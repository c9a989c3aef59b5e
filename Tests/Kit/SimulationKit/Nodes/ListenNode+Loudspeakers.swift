import AudioCore
import Playout
import WireProtocol

/// How a listener's loudspeakers were set, and when.
public struct LoudspeakerHistory {
    public struct Entry {
        /// From when on; what is heard follows, with a ramp and once the sound card has played what it holds.
        public let time: TrueTime
        public let settings: ListenerSettings
        /// The volume that scales its own.
        public let group: VolumeSetting

        /// What samples are multiplied with.
        public var gain: Float {
            guard !settings.volume.isMuted, !group.isMuted else { return 0 }
            return Volume(percent: settings.volume.level).gain * Volume(percent: group.level).gain
        }
    }

    /// Oldest first; never empty.
    public private(set) var entries: [Entry]

    init(_ settings: ListenerSettings) {
        entries = [Entry(time: .start, settings: settings, group: VolumeSetting())]
    }

    public var last: Entry { entries[entries.count - 1] }

    /// How they were set at this time, in seconds.
    public func entry(at seconds: Double) -> Entry { entries.last { $0.time.seconds <= seconds } ?? entries[0] }

    mutating func append(_ settings: ListenerSettings, group: VolumeSetting, at time: TrueTime) {
        entries.append(Entry(time: time, settings: settings, group: group))
    }
}

extension ListenNode {
    /// Its ear hears a performance as its user wants it: shifted by the offset.
    func attend(_ performance: Performance) {
        ear.attend(
            performance, asPlaced: performance.shifted(by: loudspeakers.last.settings.offset, on: machine))
    }

    public func set(_ operation: ListenerOperation) {
        var settings = loudspeakers.last.settings
        settings.apply(operation)
        guard settings != loudspeakers.last.settings else { return }
        if settings.offset != loudspeakers.last.settings.offset {
            executor.handle(.setOffset(settings.offset))
            card.catchUp()
            ear.shift(to: settings.offset)
        }
        apply(settings, group: groupVolume)
        executor.handle(.settings(settings))
    }

    public func setGroupVolume(_ volume: VolumeSetting) { apply(loudspeakers.last.settings, group: volume) }

    private func apply(_ settings: ListenerSettings, group: VolumeSetting) {
        loudspeakers.append(settings, group: group, at: machine.loop.now)
        let isMuted = settings.volume.isMuted || group.isMuted
        control.setVolume(
            Volume(percent: settings.volume.level).gain * Volume(percent: group.level).gain, ramp: Self.ramp)
        control.setMuted(isMuted, ramp: Self.ramp)
    }

    /// As a listener's audio queue has it.
    public static let ramp = TimeSpan.milliseconds(50)
}

extension ListenerSettings {
    /// Does what an operation asks for.
    public mutating func apply(_ operation: ListenerOperation) {
        switch operation {
        case .volume(let change): volume.apply(change)
        case .offset(let offset): self.offset = offset
        case .role(let role): self.role = role
        }
    }
}
