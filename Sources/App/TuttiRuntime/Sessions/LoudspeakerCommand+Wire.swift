import AudioCore
import WireProtocol

/// Loudspeakers as they are commanded from elsewhere.
extension LoudspeakerCommand {
    /// What an operation means for one listener's loudspeakers, in order.
    static func commands(for operation: ListenerOperation) -> [LoudspeakerCommand] {
        switch operation {
        case .volume(.level(let level)): [.setVolume(Volume(percent: level)), .setMuted(false)]
        case .volume(.step(let step)): [.changeVolume(by: step)]
        case .volume(.mute): [.setMuted(true)]
        case .volume(.unmute): [.setMuted(false)]
        case .volume(.toggleMute): [.toggleMute]
        case .offset(let offset): [.setOffset(offset)]
        case .role(let role): [.setRole(role)]
        }
    }

    /// The same change of the group's volume; nil if it is none of volume.
    var volumeChange: VolumeChange? {
        switch self {
        case .setVolume(let volume): .level(volume.percent)
        case .changeVolume(let change): .step(change)
        case .setMuted(let isMuted): isMuted ? .mute : .unmute
        case .toggleMute: .toggleMute
        case .setRole, .setOffset, .setPaused: nil
        }
    }
}

extension ListenerSettings {
    init(_ settings: LoudspeakerSettings) {
        self.init(
            volume: VolumeSetting(level: settings.volume.percent, isMuted: settings.isMuted), offset: settings.offset,
            role: settings.role)
    }
}
