import Controlling
import MusicLibrary
import ProgrammeJSON
import Synchronization
import TuttiRuntime
import WireProtocol

extension SearchCommand {
    /// Finds songs in another machine's library.
    func search(at target: ControlTarget) throws(RuntimeFailure) {
        let wanted = min(limit, WireLimits.foundSongCount)
        guard query.line.utf8.count <= WireLimits.queryByteCount else {
            throw RuntimeFailure(.usage, .other("the query is too long for another machine; leave words out"))
        }
        // One more, to know whether there are more.
        let subject = LookupSubject.songs(query: query.line, limit: min(wanted + 1, WireLimits.foundSongCount))
        let answer = Mutex<Result<[FoundSong], RuntimeFailure>>(.success([]))
        try ControlRun(target: target, requests: [.lookup(subject)]).run { news in
            switch news {
            case .found(_, let bytes): answer.withLock { $0 = .success(FoundSong.songs(found: bytes)) }
            case .foundNothing(_, let reason) where !reason.isEmpty:
                answer.withLock { $0 = .failure(RuntimeFailure(.unavailable, .other("nothing was found: \(reason)"))) }
            case .foundNothing, .connected, .outcome, .state, .page, .failed, .sending: break
            }
        }
        let found = try answer.withLock { $0 }.get()
        guard !found.isEmpty else { throw RuntimeFailure(.general, .other("no song there fits")) }
        show(Array(found.prefix(wanted)), isCut: found.count > wanted || found.count == WireLimits.foundSongCount)
    }
}
