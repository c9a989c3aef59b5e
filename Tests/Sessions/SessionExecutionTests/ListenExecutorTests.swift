import AudioCore
import AudioQueueServices
import ClockSync
import Listening
import NIOCore
import Peering
import Playout
import SessionExecution
import Testing
import WireProtocol

/// What the shell and the simulation both leave to the executor of a listener.
@Suite(.timeLimit(.minutes(5))) struct ListenExecutorTests {
    private let machine = ListeningMachine()

    /// A session that stops fades out, says so, closes and ends, in this order; what a send brings about comes after.
    @Test func actionsAreDoneInTheirOrderAndEventsWaitForThem() {
        let executor = ListenExecutor(on: machine)
        executor.meetBroadcaster(3, on: machine)
        machine.done = []
        machine.onSend = { [machine] in
            machine.onSend = {}
            executor.handle(.contact(PeerContact(address: NetworkAddress(host: "10.0.0.9", port: 1))))
            machine.done.append("sent")
        }
        executor.handle(.stop)
        #expect(machine.done == ["silence", "send 3", "sent", "close 3"])

        // The same where the session goes on: its contact is dialled once the broadcaster was answered.
        let other = ListenExecutor(on: machine)
        machine.done = []
        machine.onSend = { [machine] in
            machine.onSend = {}
            other.handle(.contact(PeerContact(address: NetworkAddress(host: "10.0.0.9", port: 1))))
            machine.done.append("sent")
        }
        other.handle(.opened(ConnectionID(1), .accepted, address: "10.0.0.1", dial: nil))
        #expect(machine.done == ["send 1", "sent", "dial 10.0.0.9:1"])
    }

    @Test func ticksAreCloseUntilAllGoesWell() {
        let executor = ListenExecutor(on: machine)
        executor.start()
        #expect(machine.timers == [.zero])
        executor.timerDidFire()
        #expect(machine.timers.last == .milliseconds(20))
        machine.playout.state = .playing
        executor.timerDidFire()
        #expect(machine.timers.last == .milliseconds(200))
        // What the queue tells is looked at now.
        executor.heard(.playout(.xrun(frame: DeviceFrame(index: 1))))
        #expect(machine.timers.last == .zero)
    }

    /// However seldom somebody wants to see it: a report is due twice a second.
    @Test func noTickIsFartherThanReports() {
        let executor = ListenExecutor(on: machine, playingTick: .seconds(30))
        machine.playout.state = .playing
        executor.timerDidFire()
        #expect(machine.timers.last == ListenLimits.reportInterval + .milliseconds(10))
        // A part of the song brings the tick along. The next tick waits for the next part, but not for long.
        machine.now += .milliseconds(400)
        executor.handle(.received(ConnectionID(1), ByteBuffer()))
        #expect(machine.timers.last == .zero)
        executor.timerDidFire()
        #expect(machine.timers.last == .milliseconds(620))
        machine.now += .milliseconds(620)
        executor.timerDidFire()
        #expect(machine.timers.last == ListenLimits.reportInterval + .milliseconds(10))
    }

    @Test func whatComesTicksToo() {
        let executor = ListenExecutor(on: machine)
        machine.playout.state = .playing
        executor.timerDidFire()
        machine.timers = []
        machine.now = machine.now + .milliseconds(90)
        executor.handle(.received(ConnectionID(3), ByteBuffer()))
        #expect(machine.timers.isEmpty, "the next tick is not due soon")
        machine.now = machine.now + .milliseconds(20)
        executor.handle(.received(ConnectionID(3), ByteBuffer()))
        executor.handle(.received(ConnectionID(3), ByteBuffer()))
        #expect(machine.timers == [.zero])
        executor.timerDidFire()
        #expect(machine.timers == [.zero, .milliseconds(200)])
        // A fade is not cut short.
        executor.handle(.stop)
        machine.timers = []
        machine.now = machine.now + .milliseconds(190)
        executor.handle(.received(ConnectionID(3), ByteBuffer()))
        #expect(machine.timers.isEmpty)
    }

    /// What the clock told in the meantime is taken first; but not what it told before a sleep.
    @Test func anEstimateWaitsForWhateverComesNext() throws {
        let executor = ListenExecutor(on: machine)
        executor.meetBroadcaster(3, on: machine)
        executor.choose(on: machine)
        func tell(_ session: Int64) {
            let mapping = ClockMapping(
                host: machine.now, session: SessionTime(nanoseconds: session), skew: .zero)
            machine.untaken = ClockEstimate(
                mapping: mapping, errorBound: .microseconds(5), asymmetryLimit: .microseconds(40),
                roundTrip: .microseconds(80), skewBound: PartsPerMillion(1), generation: 0)
        }
        tell(7_000)
        #expect(executor.session.sessionTime(at: machine.now) == nil)
        executor.handle(.tick)
        #expect(machine.untaken == nil)
        #expect(executor.session.sessionTime(at: machine.now) == SessionTime(nanoseconds: 7_000))
        machine.slept = .seconds(60)
        machine.done = []
        tell(9_000)
        executor.handle(.tick)
        #expect(machine.done.contains("restartClock"))
        #expect(executor.session.sessionTime(at: machine.now) != SessionTime(nanoseconds: 9_000))
    }

    /// The broadcaster holds song back until it is there, so that nothing else happens before the next tick.
    @Test func aReportThatIsWaitedForHasATickOfItsOwn() {
        let executor = ListenExecutor(on: machine)
        executor.meetBroadcaster(3, on: machine)
        executor.choose(on: machine)
        executor.beginSong(over: 3)
        machine.playout.state = .playing
        executor.timerDidFire()
        machine.now += .milliseconds(30)
        (machine.done, machine.timers) = ([], [])
        executor.takeSong(at: 0, over: 3)
        #expect(machine.done == ["send 3"] && machine.timers.isEmpty)
        machine.now += .milliseconds(1)
        executor.takeSong(at: 800, over: 3)
        executor.takeSong(at: 1_600, over: 3)
        #expect(machine.done == ["send 3"] && machine.timers == [.milliseconds(19)])
        machine.now += .milliseconds(19)
        executor.timerDidFire()
        #expect(machine.done == ["send 3", "send 3"])
        #expect(machine.timers == [.milliseconds(19), .milliseconds(200)])
    }

    @Test func theEndWaitsForTheLastSound() {
        let executor = ListenExecutor(on: machine)
        machine.playout.state = .playing
        executor.handle(.stop)
        #expect(machine.outcomes.isEmpty && machine.timers.last == .milliseconds(300))
        executor.heard(.playout(.stopped(epoch: Epoch(1))))
        #expect(machine.outcomes == [.stopped])
        executor.heard(.playout(.stopped(epoch: Epoch(1))))
        executor.timerDidFire()
        #expect(machine.outcomes == [.stopped] && machine.timers.count == 1)
    }

    /// A device's thread that is quick has rendered the fade before anybody looks; it is heard later.
    @Test func theEndWaitsForAFadeThatIsRenderedAtOnce() {
        let executor = ListenExecutor(on: machine)
        machine.playout.state = .playing
        machine.onStop = { [machine] in machine.playout.state = .idle }
        executor.handle(.stop)
        #expect(machine.outcomes.isEmpty && machine.timers == [.milliseconds(300)])
        executor.heard(.playout(.stopped(epoch: Epoch(1))))
        #expect(machine.outcomes == [.stopped])
    }

    @Test func theEndWaitsForASilentDeviceNoLongerThanItsBuffer() {
        let executor = ListenExecutor(on: machine)
        machine.playout.state = .starved
        executor.handle(.stop)
        executor.timerDidFire()
        #expect(machine.outcomes == [.stopped])
        let silent = ListenExecutor(on: machine)
        machine.playout.state = .waiting
        silent.handle(.stop)
        #expect(machine.timers.last == .zero && machine.outcomes.count == 1)
        silent.timerDidFire()
        #expect(machine.outcomes == [.stopped, .stopped])
    }

    @Test func whatPlaysWhileTheDeviceIsAwayIsNotHeard() {
        let executor = ListenExecutor(on: machine)
        machine.playout.state = .playing
        machine.playout.modelBound = .microseconds(3)
        #expect(executor.timerDidFire() == machine.playout)
        executor.heard(.device(.vanished(.lost(device: "hw:1"))))
        let told = executor.timerDidFire()
        #expect(told?.state == .waiting && told?.modelBound == nil && executor.isDeviceAway)
        #expect(machine.timers.last == .milliseconds(20))
        executor.heard(
            .device(
                .returned(
                    OutputDeviceDescription(
                        name: "hw:1", rate: 48_000, channelCount: 2, sampleFormat: "float", buffer: .milliseconds(20),
                        period: .milliseconds(5)))))
        #expect(executor.timerDidFire() == machine.playout && !executor.isDeviceAway)
    }

    /// Before anything else: what its time was made of is worth nothing.
    @Test func aSleepIsTheFirstThatTheSessionLearns() {
        let executor = ListenExecutor(on: machine)
        executor.meetBroadcaster(3, on: machine)
        executor.choose(on: machine)
        machine.done = []
        machine.slept = .seconds(60)
        executor.handle(.stop)
        #expect(
            machine.done.starts(with: ["hold", "restartClock"]) && machine.done.contains("silence"), "\(machine.done)")
    }

    @Test func aSleepIsToldOnce() {
        let executor = ListenExecutor(on: machine)
        executor.meetBroadcaster(3, on: machine)
        executor.choose(on: machine)
        machine.slept = .seconds(60)
        executor.timerDidFire()
        machine.done = []
        executor.timerDidFire()
        #expect(!machine.done.contains("restartClock"))
    }

    @Test func nothingIsAskedForAfterTheOutletWasClosed() {
        let executor = ListenExecutor(on: machine)
        executor.close()
        executor.heard(.playout(.stopped(epoch: Epoch(1))))
        #expect(executor.timerDidFire() == nil && machine.timers.isEmpty && machine.outcomes.isEmpty)
    }
}
