import AudioCore
import TuttiRuntime

extension RuntimeNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .network(let notice): notice.sentence
        case .listening(let notice): notice.sentence
        case .observing(let notice): notice.sentence
        case .device(let notice): notice.sentence
        case .song(let notice): notice.sentence
        case .memory(let notice): notice.sentence
        case .volumeLimit(let notice): notice.sentence
        case .household(let notice): notice.sentence
        case .recording(let notice): notice.sentence
        case .broadcast(let notice): notice.sentence
        case .command(let outcome): outcome.text
        case .start(let timeline): timeline.sentence
        case .slept(let span):
            "this machine slept for \((span.seconds * 10).rounded() / 10) s: the song goes on where it was"
        case .ownLoudspeakers(let name, let notice): "\(name): \(notice.sentence)"
        case .ownLoudspeakersLost(let failure): "\(failure.sentence); the listeners play on"
        }
    }
}
