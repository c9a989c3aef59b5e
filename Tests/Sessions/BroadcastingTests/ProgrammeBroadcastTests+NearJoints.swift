import AudioCore
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

// Commands shortly before a joint.
extension ProgrammeBroadcastTests {
    /// Lets time pass up to 110 ms before the joint behind the first song: a cut is put behind the joint.
    private func waitForTheJoint(_ broadcast: inout ScriptedBroadcast) throws {
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast)
        let joint = try #require(broadcast.session.timeline.last.anchor).session
        let target = HostTime(nanoseconds: joint.nanoseconds) - .milliseconds(110)
        broadcast.wait(.milliseconds(9_000), draining: 1)
        while broadcast.now < target - .milliseconds(20) { broadcast.wait(.milliseconds(20)) }
        broadcast.now = target
    }

    @Test func aPauseShortlyBeforeAJointIsBehindIt() throws {
        var broadcast = playing(["a", "b"])
        try waitForTheJoint(&broadcast)
        perform(.pause, &broadcast)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        #expect(cut.epoch == Epoch(2) && cut.frame == FramePosition(160), "\(cut)")
        #expect(broadcast.heard[1]?.cuts.count == 1)
    }

    @Test(arguments: [ProgrammeOperation.seek(to: .zero), .next, .jump(to: .position(2))])
    func aJumpShortlyBeforeAJointLeavesNoSongOut(operation: ProgrammeOperation) throws {
        var broadcast = playing()
        try waitForTheJoint(&broadcast)
        perform(operation, &broadcast)
        let wanted = broadcast.session.programme.current
        giveSong(&broadcast)
        // The song behind the joint begins meanwhile, and is not what the programme goes on with.
        waitTickByTick(&broadcast)
        #expect(broadcast.session.programme.current == wanted)
        #expect(broadcast.session.timeline.heard.item == wanted && broadcast.session.timeline.heard.anchor != nil)
    }

    /// Lets a second pass, every tick of it.
    private func waitTickByTick(_ broadcast: inout ScriptedBroadcast) {
        for _ in 0..<50 { broadcast.wait(.milliseconds(20), draining: 1) }
    }

    /// Sound cards have the beginning of the next song already.
    @Test func aQueueEditedShortlyBeforeAJointLeavesWhatFollows() throws {
        var broadcast = playing()
        let items = broadcast.session.programme.playOrder
        try waitForTheJoint(&broadcast)
        perform(.move(.position(2), to: 1), &broadcast)
        waitTickByTick(&broadcast)
        #expect(broadcast.heard[1]?.cuts.isEmpty == true)
        #expect(broadcast.session.timeline.heard.item == items[1] && broadcast.session.programme.current == items[1])
    }

    /// Another song cannot be with all in time for the joint.
    @Test func whatComesInThePlaceOfARemovedSongBeginsWhenAllHaveIt() throws {
        var broadcast = playing()
        try waitForTheJoint(&broadcast)
        perform(.remove(.position(1)), &broadcast)
        giveSong(&broadcast)
        let soonest = SessionTime(nanoseconds: (broadcast.now + BroadcastLimits.jumpDelay).nanoseconds)
        let anchor = try #require(broadcast.session.timeline.last.anchor)
        #expect(anchor.epoch == broadcast.opened.last?.epoch && anchor.session >= soonest)
    }

    /// The target stands behind the next song, of which a moment is heard, and which does not follow any more.
    @Test(arguments: [ProgrammeOperation.move(.position(2), to: 1), .remove(.position(1))])
    func aQueueEditedShortlyBeforeAJointLeavesASeekItsTarget(edit: ProgrammeOperation) throws {
        var broadcast = playing()
        try waitForTheJoint(&broadcast)
        let first = broadcast.session.programme.current
        perform(.seek(to: .zero), &broadcast)
        giveSong(&broadcast)
        let target = try #require(broadcast.opened.last?.epoch)
        perform(edit, &broadcast)
        waitTickByTick(&broadcast)
        #expect(broadcast.session.timeline.heard.epoch == target && broadcast.session.anchor != nil)
        #expect(broadcast.session.programme.current == first)
    }

    /// Of the next song a moment was heard: it is not replaced, unless it left the queue.
    @Test(arguments: [(ProgrammeOperation.move(.position(2), to: 1), 1), (.remove(.position(1)), 2)])
    func aQueueEditedInAPauseShortlyBeforeAJointIsHeardAfterIt(edit: ProgrammeOperation, expected: Int) throws {
        var broadcast = playing()
        let items = broadcast.session.programme.playOrder
        try waitForTheJoint(&broadcast)
        perform(.pause, &broadcast)
        perform(edit, &broadcast)
        waitTickByTick(&broadcast)
        perform(.resume, &broadcast)
        if expected == 2 { giveSong(&broadcast) }
        waitTickByTick(&broadcast)
        #expect(broadcast.session.timeline.heard.item == items[expected] && broadcast.session.anchor != nil)
        #expect(broadcast.session.programme.current == items[expected])
    }

    @Test func aPauseShortlyBeforeAJointIsInTheNextSong() throws {
        var broadcast = playing()
        try waitForTheJoint(&broadcast)
        perform(.pause, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        let second = broadcast.session.timeline.heard.item
        #expect(broadcast.session.song.epoch == Epoch(2) && broadcast.session.transport == .paused)
        #expect(broadcast.session.programme.current == second)
        perform(.resume, &broadcast)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == Epoch(2))
        broadcast.wait(.seconds(1), draining: 1)
        #expect(broadcast.session.programme.current == second && titles(broadcast).last == "/c")
    }
}
