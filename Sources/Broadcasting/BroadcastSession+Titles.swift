import AudioCore
import WireProtocol

/// Stations that tell what they play.
extension BroadcastSession {
    /// Shows another title from now on. Listeners are sent the stream's properties once more, under the same epoch:
    /// whoever does not look for texts in them takes no notice.
    mutating func retitle(_ title: String, _ now: HostTime) {
        let title = String(displaying: title, maximumByteCount: Limits.titleByteCount)
        guard !title.isEmpty, title != summary.info[.title] else { return }
        note(.info(.title, title))
        guard summary.isReady else { return }
        streamMessage = WireEncoder.stream(log.epoch, properties: summary.properties)
        pcm?.retitle(summary, epoch: log.epoch)
        actions.append(.advertise)
        for id in connections.ids {
            guard let link = connections[id], link.hasStream, let form = form(for: link) else { continue }
            send(form.streamMessage, to: id, now)
        }
    }
}
