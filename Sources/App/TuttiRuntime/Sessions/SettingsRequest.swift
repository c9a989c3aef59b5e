import AudioCore
import Playout

/// How loudspeakers are to play.
enum SettingsRequest {
    /// As remembered for their device, but for what is given here, which is remembered.
    case remembered(volume: Volume? = nil, role: ChannelRole? = nil, offset: TimeSpan? = nil)
    case exactly(LoudspeakerSettings)

    func settings(of device: OutputDeviceDescription, _ rateStore: ClockRateStore) -> LoudspeakerSettings {
        switch self {
        case .exactly(let settings): return settings
        case .remembered(let volume, let role, let offset):
            var settings = rateStore.settings(of: device)
            if let volume { (settings.volume, settings.isMuted) = (volume, false) }
            if let role { settings.role = role }
            settings.offset = rateStore.offset(asked: offset, on: device)
            rateStore.keep(settings, on: device)
            return settings
        }
    }
}
