import AudioCore
import NIOCore
import WireProtocol

/// What a controller says to its broadcast: requests, one after the other, to their end; or, if it follows, for as long
/// as it likes. Then songs are sent beside the commands, which do not wait for them.
struct Dialogue {
    enum Step {
        case send(ByteBuffer)
        case answer(ControlAnswer)
        case openSong(String)
        case readSong(Int)
        case finish(ControlEnding)
    }

    private enum Following {
        case no
        /// The state was asked for.
        case asked
        case changes(ProgrammeState)
    }

    private enum LaneKind { case commands, songs }

    private var commands: RequestLane
    private var songs: RequestLane
    /// What is quick to find, and what takes the broadcaster the reading of a whole song.
    private var quickLookups = LookupLane()
    private var slowLookups = LookupLane()
    private var following: Following
    /// Where the last request went: one that depends on it goes there, too.
    private var lastLane = LaneKind.commands
    private var toldFileCount = 0

    /// - Parameter requests: in groups that belong together.
    init(_ requests: [[ControlRequest]], with name: String) {
        following = .no
        commands = RequestLane(with: name)
        songs = RequestLane(with: name)
        for group in requests { add(group) }
    }

    var isFollowing: Bool { if case .no = following { false } else { true } }

    /// Takes further requests that belong together: where one of them is a song to be sent, the others go with it, as
    /// does what depends on them.
    mutating func add(_ group: [ControlRequest]) {
        if group.contains(.changes), !isFollowing {
            following = .asked
            (commands.isQuick, songs.isQuick) = (true, true)
        }
        let sends = group.contains { if case .send = $0 { true } else { false } }
        let depends = group.contains { if case .ifDone = $0 { true } else { false } }
        if !depends { lastLane = sends && isFollowing ? .songs : .commands }
        for request in group {
            if case .lookup(let subject) = request {
                if case .levels = subject { slowLookups.add(subject) } else { quickLookups.add(subject) }
                continue
            }
            switch lastLane {
            case .commands: commands.add(request)
            case .songs: songs.add(request)
            }
        }
    }

    /// Does what is due.
    mutating func advance(_ now: HostTime) -> [Step] {
        let found = take(quickLookups.advance(now) + slowLookups.advance(now))
        let steps = commands.advance(now)
        return found + take(isFollowing ? steps + songs.advance(now) : steps) + tellFileCount()
    }

    private mutating func tellFileCount() -> [Step] {
        guard songs.fileCount != toldFileCount else { return [] }
        toldFileCount = songs.fileCount
        return [.answer(.sending(fileCount: toldFileCount))]
    }

    /// Takes a message.
    mutating func receive(_ message: ControlMessage, _ now: HostTime) -> [Step] {
        switch message {
        case .programmeState(let state): return take(state, now)
        case .programmeChange(let change): return take(change)
        case .finding(let finding): return take(quickLookups.take(finding, now) + slowLookups.take(finding, now))
        default: return take(commands.receive(message, now) + songs.receive(message, now))
        }
    }

    /// Takes what this machine found in a file.
    mutating func takeSong(_ event: ControlEvent, _ now: HostTime) -> [Step] {
        take(isFollowing ? songs.takeSong(event, now) : commands.takeSong(event, now))
    }

    private func take(_ steps: [RequestLane.Step]) -> [Step] {
        steps.compactMap { step in
            switch step {
            case .send(let bytes): .send(bytes)
            case .answer(let answer): .answer(answer)
            case .openSong(let path): .openSong(path)
            case .readSong(let byteCount): .readSong(byteCount)
            case .abandon(let ending): .finish(ending)
            case .fail(let ending): outlivesFailures ? .answer(.failed(ending)) : .finish(ending)
            case .empty: isFollowing || !quickLookups.isEmpty || !slowLookups.isEmpty ? nil : .finish(.done)
            }
        }
    }

    private func take(_ steps: [LookupLane.Step]) -> [Step] {
        steps.map { step in
            switch step {
            case .send(let bytes): .send(bytes)
            case .answer(let answer): .answer(answer)
            }
        }
    }

    /// Only whoever follows goes on behind a failure, and not without a state.
    private var outlivesFailures: Bool { if case .changes = following { true } else { false } }

    // MARK: Following

    private mutating func take(_ state: ProgrammeState, _ now: HostTime) -> [Step] {
        let steps = take(commands.receive(.programmeState(state), now))
        guard isFollowing else { return steps }
        following = .changes(state)
        // One that was asked for after changes were missed answers no request.
        let isTold = steps.contains { if case .answer(.state) = $0 { true } else { false } }
        return isTold ? steps : [.answer(.state(state, nil))] + steps
    }

    private mutating func take(_ change: ProgrammeChange) -> [Step] {
        guard case .changes(var state) = following else { return [] }
        guard state.apply(change) else {
            return change.sequence <= state.sequence ? [] : [.send(WireEncoder.follow())]
        }
        following = .changes(state)
        return [.answer(.state(state, change))]
    }
}
