import AudioCore
import Controlling
import Glibc
import HostSystem
import ProgrammeJSON
import Synchronization
import TuttiRuntime
import WireProtocol

/// What becomes of a song that a page has sent.
struct SongSendingResult: Sendable {
    let isDone: Bool
    /// For people.
    let text: String
}

/// Hands a song's file to the broadcast, or a test's stand-in for that.
protocol SongSender: Sendable {
    /// Sends the file's bytes; `then` is called on any thread.
    func send(_ file: SpooledFile, position: Int?, then: @escaping @Sendable (SongSendingResult) -> Void)
}

/// Sends songs to this process' broadcast as any machine would: so the broadcast's own limits hold, and it deletes them
/// as it does those of other machines. Each is sent by a controller and a thread of its own, that nobody waits for.
final class LocalSongSender: SongSender {
    private let identity: Identity
    private let localSockets: [LocalSocketDirectory]

    init(identity: Identity, localSockets: [LocalSocketDirectory]) {
        self.identity = identity
        self.localSockets = localSockets
    }

    func send(_ file: SpooledFile, position: Int?, then: @escaping @Sendable (SongSendingResult) -> Void) {
        do throws(HostThreadError) {
            _ = try HostThread(name: "tutti upload") { then(self.send(file, position: position)) }
        } catch {
            then(SongSendingResult(isDone: false, text: "there is no room for another thread; try again later"))
        }
    }

    private func send(_ file: SpooledFile, position: Int?) -> SongSendingResult {
        let link: SpooledFile.Link
        do throws(SpooledFile.Failure) {
            link = try file.link()
        } catch {
            return SongSendingResult(isDone: false, text: error.text)
        }
        defer { link.remove() }
        if let failure = SongTools.inspect(path: link.path).failure {
            return SongSendingResult(isDone: false, text: failure.message.replacing(link.path, with: file.name))
        }
        var options = ControlOptions([.send(path: link.path, position: position)])
        options.localSockets = localSockets
        options.reach = .thisProcess
        let outcome = Mutex<CommandOutcome?>(nil)
        do throws(RuntimeFailure) {
            try Controller(options: options, identity: identity).run { answer in
                if case .outcome(let its) = answer { outcome.withLock { $0 = its } }
            }
            return SongSendingResult(isDone: true, text: outcome.withLock { $0 }?.text ?? "")
        } catch {
            guard case .control(let ending, _) = error.reason else {
                return SongSendingResult(
                    isDone: false, text: "the song could not be handed to the broadcast; try again")
            }
            return SongSendingResult(isDone: false, text: ending.failureText)
        }
    }
}
