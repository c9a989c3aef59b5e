import AudioCore

/// How a listener's loudspeakers are told to play, and how they do within the highest volume of the moment. Pure.
///
/// What they were told outlives a lower limit: once quiet hours are over they are as loud as before, or as they were
/// told meanwhile. Commands for more than ``VolumeLimit/highest`` count as commands for that.
struct LimitedLoudspeakers: Hashable, Sendable {
    /// As they were told.
    private(set) var wanted: LoudspeakerSettings
    /// The highest volume of the moment.
    private(set) var ceiling: VolumeCeiling
    /// The highest volume at any time.
    private let highest: Volume
    /// While they are paused: whether they are muted beside that, which is remembered.
    private var muteUnderPause: Bool?

    init(_ settings: LoudspeakerSettings, highest: Volume = .full, ceiling: VolumeCeiling = .none) {
        (wanted, self.highest, self.ceiling) = (settings, highest, ceiling)
    }

    /// As they play.
    var inForce: LoudspeakerSettings {
        var settings = wanted
        settings.volume = min(settings.volume, highest, ceiling.volume)
        return settings
    }

    /// As the sound device is to be remembered: no limit and no pause is.
    var remembered: LoudspeakerSettings {
        var settings = wanted
        if let muteUnderPause { settings.isMuted = muteUnderPause }
        return settings
    }

    mutating func apply(_ command: LoudspeakerCommand) {
        switch command {
        case .setVolume(let volume): wanted.volume = min(volume, highest)
        case .changeVolume(let change):
            step(by: change)
            setMuted(false)
        case .setMuted(let isMuted): setMuted(isMuted)
        case .toggleMute: setMuted(!wanted.isMuted)
        case .setPaused(true):
            muteUnderPause = muteUnderPause ?? wanted.isMuted
            wanted.isMuted = true
        case .setPaused(false): setMuted(muteUnderPause ?? false)
        case .setRole(let role): wanted.role = role
        case .setOffset(let offset):
            let range = LoudspeakerSettings.offsetRange
            wanted.offset = min(max(offset, range.lowerBound), range.upperBound)
        }
    }

    /// Has another highest volume hold from now on.
    mutating func limit(to ceiling: VolumeCeiling) { self.ceiling = ceiling }

    /// Has them play by these settings: those of another sound device. What is paused stays paused.
    mutating func use(_ settings: LoudspeakerSettings) {
        wanted = settings
        guard muteUnderPause != nil else { return }
        muteUnderPause = settings.isMuted
        wanted.isMuted = true
    }

    /// A step is one from what is heard. One that changes nothing there leaves what was wanted, too.
    private mutating func step(by change: Int) {
        let present = inForce.volume
        let next = min(present.changed(by: change), highest, ceiling.volume)
        if next != present { wanted.volume = next }
    }

    private mutating func setMuted(_ isMuted: Bool) {
        wanted.isMuted = isMuted
        muteUnderPause = nil
    }
}
