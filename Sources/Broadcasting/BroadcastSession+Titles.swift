import AudioCore
import WireProtocol

/// Stations that tell what they play.
extension BroadcastSession {
    /// A title came with what will be read next; it is shown when that is heard, the first one at once.
    mutating func noteTitle(_ title: String) {
        // Nobody hears so many in the time that is read ahead.
        if comingTitles.count >= BroadcastLimits.comingTitleCount { comingTitles.removeFirst() }
        comingTitles.append((hasTitles ? log.end ?? .zero : .zero, title))
        hasTitles = true
    }

    /// Shows the titles of what is heard by now.
    mutating func showTitles(_ now: HostTime) {
        while let next = comingTitles.first, next.frame <= position(now) {
            comingTitles.removeFirst()
            retitle(next.title, now)
        }
    }

    /// Shows another title from now on. Listeners are sent the stream's properties once more, under the same epoch:
    /// whoever does not look for texts in them takes no notice.
    private mutating func retitle(_ title: String, _ now: HostTime) {
        let title = String(displaying: title, maximumByteCount: Limits.titleByteCount)
        guard !title.isEmpty, title != summary.info[.title] else { return }
        note(.info(.title, title))
        guard summary.isReady else { return }
        streamMessage = WireEncoder.stream(log.epoch, properties: summary.properties)
        pcm?.retitle(summary, epoch: log.epoch)
        actions.append(.advertise)
        for link in connections.links where link.hasStream {
            guard let message = link.isSentPCM ? pcm?.streamMessage : streamMessage else { continue }
            send(message, to: link, now)
        }
    }
}
