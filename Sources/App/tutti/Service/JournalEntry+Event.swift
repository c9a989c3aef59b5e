import AudioCore
import Listening
import ServiceManager
import TuttiRuntime

// `TUTTI_EVENT` says what an entry is about: a word before the point says from which part, one behind it what happened,
// for those of which others may want to know. Later releases may add words.
//
//     service.waiting, service.begins, service.unchanged, service.changed, service.not-reloaded, service.stopping,
//     service.stuck, service.ended, service.failed
//     listening.joined, listening.back, listening.lost, listening.ended, listening.stopped, listening.failed,
//     listening.refused, listening.other-key, listening.clock-path, listening.clock-unanswered, listening.slept
//     device.vanished, device.returned, device.xrun, device.placed-anew, device.packets-late
//     network.listening, network.port-in-use, network.name-taken, network.mdns-available, network.mdns-unavailable,
//     network.not-advertised, network.no-clock
//     song, memory, volume-limit, household, recording, broadcast, command, start, slept, page, status, warning,
//     and listening, device or network alone for what has no word of its own

extension JournalEntry {
    /// What the journal is told of an event that is shown as `text`.
    init(_ event: DisplayEvent, text: String) {
        switch event {
        case .warning(let warning): self.init(.warning, warning, [.init(.event, "warning")])
        case .page(let notice):
            self.init(Priority(notice.level), notice.sentence, [.init(.event, "page")])
        case .lines: self.init(.information, text, [.init(.event, "status")])
        case .service(let notice):
            self.init(Priority(notice.level), notice.sentence, [.init(.event, notice.journalEvent)])
        case .runtime(.notice(let notice)):
            self.init(
                Priority(notice.level), notice.sentence, [.init(.event, notice.journalEvent)] + notice.journalFields)
        case .runtime(let status):
            self.init(.information, text, [.init(.event, "status")] + status.journalFields)
        }
    }
}

extension JournalEntry.Priority {
    fileprivate init(_ level: NoticeLevel) {
        switch level {
        case .warning: self = .warning
        case .info: self = .information
        case .detail: self = .debug
        }
    }
}

extension RuntimeNotice {
    fileprivate var journalEvent: String {
        switch self {
        case .listening(let notice): notice.journalEvent
        case .device(let notice): notice.journalEvent
        case .network(let notice): notice.journalEvent
        case .observing: "listening"
        case .song: "song"
        case .memory: "memory"
        case .volumeLimit: "volume-limit"
        case .household: "household"
        case .recording: "recording"
        case .broadcast, .ownLoudspeakersLost: "broadcast"
        case .command: "command"
        case .start: "start"
        case .slept: "slept"
        case .ownLoudspeakers(_, let notice): notice.journalEvent
        }
    }

    fileprivate var journalFields: [JournalEntry.Field] {
        switch self {
        case .listening(let notice): notice.journalPeer.map { [.init(.peer, $0)] } ?? []
        case .device(.returned(let name)): [.init(.device, name)]
        case .device(.placedAnew(_, let error)): [.init(.error, "\(Int64(error.microseconds))")]
        case .network(.nameTaken(let name, _)): [.init(.peer, name)]
        case .ownLoudspeakers(_, let notice): notice.journalFields
        default: []
        }
    }
}

extension ListenNotice {
    fileprivate var journalEvent: String {
        switch self {
        case .joined: "listening.joined"
        case .back: "listening.back"
        case .lost: "listening.lost"
        case .ended: "listening.ended"
        case .stopped: "listening.stopped"
        case .failed: "listening.failed"
        case .refused: "listening.refused"
        case .anotherKey: "listening.other-key"
        case .clockPath: "listening.clock-path"
        case .clockUnanswered: "listening.clock-unanswered"
        case .slept: "listening.slept"
        default: "listening"
        }
    }

    /// Whom it is about.
    fileprivate var journalPeer: String? {
        switch self {
        case .joined(let name), .back(let name, _), .lost(let name, _), .ended(let name), .stopped(let name),
            .failed(let name, _), .refused(let name, _), .anotherKey(let name, _), .notOfHousehold(let name, _),
            .turnedAway(let name, _, _), .clockPath(let name, _), .clockUnanswered(let name), .slept(_, let name),
            .songLost(_, let name), .packetsDropped(_, let name):
            name
        default: nil
        }
    }
}

extension DeviceNotice {
    fileprivate var journalEvent: String {
        switch self {
        case .vanished: "device.vanished"
        case .returned: "device.returned"
        case .xrun: "device.xrun"
        case .placedAnew: "device.placed-anew"
        case .packetsLate: "device.packets-late"
        case .framesLost, .remark: "device"
        }
    }
}

extension NetworkNotice {
    fileprivate var journalEvent: String {
        switch self {
        case .listening: "network.listening"
        case .portInUse: "network.port-in-use"
        case .nameTaken: "network.name-taken"
        case .mDNSAvailable: "network.mdns-available"
        case .mDNSUnavailable: "network.mdns-unavailable"
        case .notAdvertised: "network.not-advertised"
        case .noClockExchange: "network.no-clock"
        case .pageNotAdvertised, .noLocalSocket: "network"
        }
    }
}

extension RuntimeEvent {
    fileprivate var journalFields: [JournalEntry.Field] {
        guard case .listening(_, let song, let broadcaster) = self else { return [] }
        return (broadcaster.map { [.init(.peer, $0)] } ?? []) + (song.map { [.init(.song, $0.headline)] } ?? [])
    }
}
