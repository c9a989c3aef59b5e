import AudioCore
import Controlling
import ProgrammeJSON
import Testing
import WireProtocol

@testable import WebRemote

/// A desk whose controller is the test.
final class DeskScene {
    var asked: [ControlRequest] = []
    var told: [String] = []
    var ends: [String] = []
    var now = HostTime(nanoseconds: 1_000_000_000)
    private(set) lazy var desk = BroadcastDesk { [unowned self] request in asked.append(request) }

    static let state = ProgrammeState(
        sequence: 4, sent: SessionTime(nanoseconds: 0), status: TransportStatus(.idle), itemCount: 3)

    init() {
        desk.tell = { [unowned self] news in
            switch news {
            case .text(let text): told.append(text)
            case .ended(let reason): ends.append(reason)
            }
        }
    }

    static func following() -> DeskScene {
        let scene = DeskScene()
        scene.take(.connected("Den"))
        scene.take(.state(state, nil))
        return scene
    }

    func take(_ answer: ControlAnswer) { desk.take(answer, now: now) }

    /// The newest command that was asked for.
    var command: Command? {
        for case .command(let command) in asked.reversed() { return command }
        return nil
    }

    static func page(_ first: Int) -> QueuePage {
        QueuePage(sequence: 4, itemCount: 3, first: first, items: [QueueItem(id: ItemID(1), title: "a")])
    }
}

@Suite(.timeLimit(.minutes(5)))
struct BroadcastDeskTests {
    @Test func changesAreToldOnceAsJSON() {
        let scene = DeskScene.following()
        #expect(scene.told.count == 1 && scene.told[0].hasPrefix(#"{"state":{"broadcaster":"Den","#))
        var state = DeskScene.state
        let change = ProgrammeChange(
            sequence: 5, effect: SessionTime(nanoseconds: 0), .volume(VolumeSetting(level: 40, isMuted: false)))
        _ = state.apply(change)
        scene.take(.state(state, change))
        #expect(scene.told.count == 2 && scene.told[1] == #"{"change":\#(change.json.text)}"#)
        #expect(scene.desk.stateJSON(now: scene.now)?.contains(#""level":40"#) == true)
    }

    /// Making a thousand listeners into JSON takes its time.
    @Test func withoutAPageNothingIsMadeIntoJSON() {
        let scene = DeskScene()
        scene.desk.isWatched = { false }
        scene.take(.connected("Den"))
        scene.take(.state(DeskScene.state, nil))
        let change = ProgrammeChange(
            sequence: 5, effect: SessionTime(nanoseconds: 0), .volume(VolumeSetting(level: 40, isMuted: false)))
        var state = DeskScene.state
        _ = state.apply(change)
        scene.take(.state(state, change))
        #expect(scene.told.isEmpty)
        #expect(scene.desk.stateJSON(now: scene.now)?.contains(#""level":40"#) == true)
        scene.desk.lose("gone")
        #expect(scene.ends == ["gone"])
    }

    @Test func whoComesLaterIsToldThePresentTime() {
        let scene = DeskScene.following()
        #expect(scene.told[0].contains(#""sent":0"#))
        scene.now += .seconds(3_600)
        #expect(scene.desk.stateJSON(now: scene.now)?.contains(#""sent":3600"#) == true)
        scene.now += .seconds(1)
        #expect(scene.desk.stateJSON(now: scene.now)?.contains(#""sent":3601"#) == true)
    }

    @Test func outcomesGoToWhoeverAsked() {
        let scene = DeskScene.following()
        var texts: [String] = []
        var ids: [CommandID] = []
        for name in ["first", "second"] {
            scene.desk.perform(.programme(.pause), now: scene.now) { result in
                if case .success(let outcome) = result { texts.append("\(name): \(outcome.text)") }
            }
            if let id = scene.command?.id { ids.append(id) }
        }
        for id in ids.reversed() { scene.take(.outcome(CommandOutcome(id: id, .refused(.nothingPlays), text: "x"))) }
        scene.take(.outcome(CommandOutcome(id: .random(), .refused(.nothingPlays))))
        #expect(texts == ["second: x", "first: x"])
    }

    @Test func whatIsLateOrLostIsSaid() {
        let scene = DeskScene.following()
        var failures: [DeskFailure] = []
        func ask() {
            scene.desk.perform(.programme(.pause), now: scene.now) { result in
                if case .failure(let failure) = result { failures.append(failure) }
            }
        }
        ask()
        scene.now += PendingCommands.patience
        scene.desk.tick(now: scene.now)
        ask()
        scene.desk.lose("gone")
        ask()
        #expect(failures == [.noAnswer, .away, .away] && scene.ends == ["gone"])
        #expect(scene.desk.stateJSON(now: scene.now) == nil)
    }

    @Test func onePageOfTheQueueServesAllUntilItChanges() {
        let scene = DeskScene.following()
        var count = 0
        func ask() {
            scene.desk.queue(QueuePageRequest(first: 0, count: 10), now: scene.now) { result in
                if case .success = result { count += 1 }
            }
        }
        ask()
        ask()
        #expect(scene.asked == [.queuePage(QueuePageRequest(first: 0, count: 10))])
        scene.take(.page(DeskScene.page(0)))
        ask()
        #expect(count == 3 && scene.asked.count == 1)
        var state = DeskScene.state
        let change = ProgrammeChange(
            sequence: 5, effect: SessionTime(nanoseconds: 0), .queue(.cleared, itemCount: 0))
        _ = state.apply(change)
        scene.take(.state(state, change))
        ask()
        #expect(count == 3 && scene.asked.count == 2)
    }

    /// A page that has followed since then asks for nothing.
    @Test func theStateSaysWhenTheQueueChangedLast() throws {
        let scene = DeskScene.following()
        var state = DeskScene.state
        func sequence(after kinds: ProgrammeChange.Kind...) throws -> JSONValue? {
            for kind in kinds {
                let change = ProgrammeChange(
                    sequence: state.sequence + 1, effect: SessionTime(nanoseconds: 0), kind)
                _ = state.apply(change)
                scene.take(.state(state, change))
            }
            let text = try #require(scene.desk.stateJSON(now: scene.now))
            return try JSONValue(parsing: text, byteLimit: 10_000).member("queueSequence")
        }
        #expect(try sequence() == .integer(4))
        #expect(try sequence(after: .modes(PlayModes()), .volume(VolumeSetting(level: 5))) == .integer(4))
        #expect(try sequence(after: .queue(.cleared, itemCount: 0), .modes(PlayModes())) == .integer(7))
        #expect(try sequence(after: .item(QueueItem(id: ItemID(1), title: "b"))) == .integer(9))
        #expect(try sequence(after: .unknown(99), .listenerGone(instance: 1)) == .integer(10))
        // Changes between were missed.
        state.sequence = 20
        scene.take(.state(state, nil))
        #expect(try sequence() == .integer(20))
    }

    @Test func pagesAreAskedForOneAfterTheOther() {
        let scene = DeskScene.following()
        var firsts: [Int] = []
        for first in [0, 2] {
            scene.desk.queue(QueuePageRequest(first: first, count: 1), now: scene.now) { result in
                if case .success(let page) = result { firsts.append(page.first) }
            }
        }
        #expect(scene.asked.count == 1)
        scene.take(.page(DeskScene.page(0)))
        #expect(scene.asked.count == 2)
        scene.take(.page(DeskScene.page(2)))
        #expect(firsts == [0, 2])
    }

    @Test func lookupsOfTheSameAreOneAndKept() {
        let scene = DeskScene.following()
        var found: [[UInt8]?] = []
        let subject = LookupSubject.artwork(of: ItemID(1))
        func ask(_ subject: LookupSubject) {
            scene.desk.lookUp(subject, now: scene.now) { result in
                if case .success(let bytes) = result { found.append(bytes) }
            }
        }
        ask(subject)
        ask(subject)
        ask(.lyrics(of: ItemID(2)))
        #expect(scene.asked == [.lookup(subject)])
        scene.take(.found(subject, [1, 2]))
        #expect(found == [[1, 2], [1, 2]] && scene.asked.last == .lookup(.lyrics(of: ItemID(2))))
        scene.take(.foundNothing(.lyrics(of: ItemID(2)), reason: ""))
        ask(subject)
        #expect(found == [[1, 2], [1, 2], nil, [1, 2]] && scene.asked.count == 2)
    }

    @Test func onlyPathsThatWereFoundAreAdded() {
        let scene = DeskScene.following()
        var failure: DeskFailure?
        func add() {
            scene.desk.perform(.programme(.add([.file("/music/a.mp3")])), now: scene.now) { result in
                if case .failure(let its) = result { failure = its }
            }
        }
        add()
        #expect(failure == .unknownPath("/music/a.mp3") && scene.asked.isEmpty)
        let subject = LookupSubject.songs(query: "a", limit: 5)
        scene.desk.lookUp(subject, now: scene.now) { _ in }
        let line = ["/music/a.mp3", "a"] + [String](repeating: "", count: 9)
        scene.take(.found(subject, Array(line.joined(separator: "\t").utf8)))
        add()
        #expect(scene.command != nil)
    }

    @Test func manyChangesOfListenersBecomeStates() {
        let scene = DeskScene.following()
        var state = DeskScene.state
        for number in 1...100 {
            let listener = ProgrammeListener(instance: UInt64(number), name: "\(number)", state: .playing)
            let change = ProgrammeChange(
                sequence: state.sequence + 1, effect: SessionTime(nanoseconds: 0), .listener(listener))
            _ = state.apply(change)
            scene.take(.state(state, change))
        }
        #expect(scene.told.count == 1 + ChangeFlow.listenerChangeLimit)
        scene.now += ChangeFlow.interval
        scene.desk.tick(now: scene.now)
        #expect(scene.told.last?.hasPrefix(#"{"state":"#) == true && scene.told.last?.contains(#""100""#) == true)
    }
}
