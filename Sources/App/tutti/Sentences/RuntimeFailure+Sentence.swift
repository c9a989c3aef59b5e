import AudioFileWriting
import AudioQueueServices
import Controlling
import Listening
import Observing
import Songs
import TuttiRuntime

extension RuntimeFailure {
    /// For people, one line that says what to do.
    var sentence: String { reason.sentence }
}

extension RuntimeFailure.Reason {
    fileprivate var sentence: String {
        switch self {
        case .song(let failure): failure.sentence
        case .noAudio(let name): "\(name.quotedSong) holds no audio"
        case .undecodable(let name, let error): "\(name.quotedSong) \(error.explanation)"
        case .songsFailed(let count, let all): "\(count) of \(all) songs could not be played"
        case .sentSongGone: "a song that was sent is not kept any more: it was played, and made room for others"
        case .output(let error), .queue(.device(let error)): error.sentence
        case .input(let error): error.sentence
        case .inputAway: "the device was away for too long"
        case .queue(let error): "\(error)"
        case .file(.exists(let path)): "\(AudioFileWritingError.exists(path: path)); --force replaces it"
        case .file(let error): "\(error)"
        case .recording(let failure): "\(failure)"
        case .portInUse(let port):
            "port \(port) is in use by another program; choose another with --port, or leave it out"
        case .clockPortInUse(let port): "UDP port \(port) is in use; choose another with --port, or leave it out"
        case .notListening(let port, let words): "cannot listen on port \(port): \(words)"
        case .noClockPort(let error): "no UDP port for the clock: \(error)"
        case .noDiscovery(let failure): "\(failure)"
        case .noListener(let names):
            "nobody called \(names.joined(separator: " or ")) was found in 10 s; `tutti peers` lists who is there"
        case .nobodyPlays(let name): "no listener plays \(name)'s broadcast; start a listener with `tutti join`"
        case .endedUnchecked: "the broadcast ended before anybody played: nothing was checked"
        case .lostInCheck(let name): "lost \(name) in the middle of the check"
        case .noAnswer(let address):
            "no broadcaster answered at \(address) in 5 s; is `tutti broadcast` running there?"
        case .noBroadcast(let names):
            "no broadcast\(names.isEmpty ? "" : " named \(names.joined(separator: " or "))") was found in 5 s; "
                + "`tutti peers` lists who is there, and `tutti check HOST` needs no mDNS"
        case .control(let ending, let target): ending.sentence(target)
        case .newcomer(let failure): failure.sentence
        case .sponsor(let failure, let target): failure.sentence(target)
        case .household(let failure): failure.sentence
        case .outOfResources(let code):
            "this machine has no thread or file descriptor left (\(code)); end some programs"
        case .noFileDescriptor: "no file descriptor left"
        case .noThread: "the system cannot start another thread"
        case .listening(let failure): failure.sentence
        case .checkRefused(let refusal): refusal.sentence
        case .source(let text), .other(let text): text
        }
    }
}

extension ControlEnding {
    /// - Parameter target: the broadcast that was meant.
    fileprivate func sentence(_ target: ControlTarget) -> String {
        switch self {
        case .done: "done"
        case .notFound(let others): Self.notFound(others, target)
        case .cannotSearch(let cause):
            "nothing is broadcast or heard on this machine, and others cannot be looked for: \(cause); "
                + "--at HOST reaches one by its address"
        case .ambiguous(let names):
            "there are several broadcasts: name one with --at (\(names.map { "'\($0)'" }.joined(separator: ", ")))"
        case .noAnswer:
            if case .address(let address) = target {
                "no broadcaster answered at \(address) in 3 s; is `tutti broadcast` running there?"
            } else {
                "the broadcaster did not answer in 3 s; --at HOST reaches it by its address"
            }
        case .broadcastsNothing(let name): "\(name) broadcasts nothing"
        case .notOfHousehold(let names):
            "not of this machine's household: \(names.map { "'\($0)'" }.joined(separator: ", ")); --at HOST reaches one "
                + "by its address nevertheless"
        case .turnedAway(let name, let reason): "\(name) refuses: \(reason)"
        case .refused(let name, let refusal): "\(name): \(refusal)"
        case .timedOut(let name): "\(name) has not done that within 1 s; it may still do it"
        case .unreadable(let path, let words): "'\(path)' cannot be sent: \(words)"
        case .lost(let name): "lost \(name)"
        case .ended(let name, let end): "\(name) ended the broadcast" + (end.text.isEmpty ? "" : ": \(end.text)")
        case .brokenProtocol(let name, let error): "\(name): \(error)"
        }
    }

    private static func notFound(_ others: [String], _ target: ControlTarget) -> String {
        guard case .named(let name) = target else {
            return "no broadcast was found in 3 s; `tutti peers` lists who is there, and --at HOST needs no mDNS"
        }
        let near = name.nearest(among: others).map { "; did you mean '\($0)'?" } ?? ""
        let there = others.isEmpty ? "there is none" : "there are: \(others.joined(separator: ", "))"
        let host = target.hostOfName == nil ? "" : ", and none at a host of that name"
        return "no broadcast named '\(name)' was found\(host)\(near.isEmpty ? "; \(there)" : near)"
    }
}

extension ListenFailure {
    fileprivate var sentence: String {
        switch self {
        case .broadcastFailed(let name, let reason): "\(name) failed: \(reason)"
        case .lost(let name): "lost \(name)"
        }
    }
}

extension ObserveRefusal {
    fileprivate var sentence: String {
        switch self {
        case .broadcastsNothing(let name): "\(name) broadcasts nothing"
        case .cannotBeObserved(let name): "\(name) runs a Tutti that cannot be checked; install a newer one there"
        case .refused(let name, let reason): "\(name) refuses: \(reason)"
        case .brokenProtocol(let name, let error): "\(name ?? "it"): \(error)"
        }
    }
}

extension SongFailure {
    /// For people, one line that says what to do.
    var sentence: String { kind == .noInput ? "\(message); feed it a song: tutti broadcast - < song.mp3" : message }
}
