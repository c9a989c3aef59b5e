import AudioCore
import Broadcasting
import ClockSync
import NIOCore
import Peering
import SessionExecution
import Testing
import WireProtocol

/// What the shell and the simulation both leave to the executor of a broadcast.
@Suite(.timeLimit(.minutes(5))) struct BroadcastExecutorTests {
    private let machine = BroadcastingMachine()
    private let key: ClockKey = {
        var generator = SystemRandomNumberGenerator()
        return ClockKey.random(using: &generator)
    }()

    /// What a send brings about comes after what else the event asked for.
    @Test func actionsAreDoneInTheirOrderAndEventsWaitForThem() {
        let executor = BroadcastExecutor(on: machine)
        executor.handle(.opened(ConnectionID(1), .accepted, address: "10.0.0.1", dial: nil, key: key))
        machine.done = []
        machine.onSend = { [machine] in
            machine.onSend = {}
            executor.handle(.contact(PeerContact(address: NetworkAddress(host: "10.0.0.9", port: 1))))
            machine.done.append("sent")
        }
        // It is refused: told so, and closed.
        let greeting = Greeting(
            roles: .broadcaster, peer: UUIDBytes(high: 2, low: 2), instance: 2, started: 0, name: "Den")
        executor.handle(.received(ConnectionID(1), WireEncoder.greeting(greeting)))
        #expect(machine.done == ["send 1", "sent", "close 1", "dial 10.0.0.9:1"])
    }

    @Test func theTimerIsSetAnewUntilTheBroadcastIsOver() {
        let executor = BroadcastExecutor(on: machine)
        executor.start()
        executor.timerDidFire()
        #expect(machine.timers.count == 2 && machine.timers.allSatisfy { $0 == executor.session.tickInterval })
        executor.handle(.stop)
        #expect(machine.outcomes == [.stopped])
        executor.timerDidFire()
        #expect(machine.timers.count == 2)
    }

    /// Session time is the broadcaster's own clock, as it reads when the reply is handed to the network.
    @Test func aClockReplyCarriesTheTimeOfItsSending() throws {
        let executor = BroadcastExecutor(on: machine)
        executor.handle(.opened(ConnectionID(1), .accepted, address: "10.0.0.1", dial: nil, key: key))
        let greeting = Greeting(
            roles: .listener, peer: UUIDBytes(high: 2, low: 2), instance: 2, started: 0, name: "Kitchen",
            codecs: [.linearPCM])
        executor.handle(.received(ConnectionID(1), WireEncoder.greeting(greeting)))
        // It is welcomed, and told the clock's key, once the song is known.
        let format = AudioStreamFormat.linearPCM(
            sampleRate: 48_000, channels: 2, bitsPerChannel: 16, bytesPerSample: 2, layout: [.signedInteger])
        executor.handle(
            .source(
                Epoch(1),
                .read(properties: [.dataFormat(format), .readyToProducePackets], packets: [], data: ByteBuffer())))
        var client = ClockClient(key: key, seed: 1)
        let poll = client.poll(now: machine.clock)
        let request = try #require(poll)
        machine.sent = []
        executor.handle(.received(ConnectionID(1), WireEncoder.clock(request.bytes)))
        let reply = try #require(machine.sent.first)
        // The datagram ends the message; its transmit time is at 40.
        let datagram = Array(reply.bytes.readableBytesView.suffix(ClockDatagram.byteCount))
        let stamp = datagram[40..<48].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        #expect(SessionTime(nanoseconds: stamp) == ClockMapping.identity.session(at: reply.at))
        #expect(reply.at == machine.clock)
    }

    @Test func aSleepIsToldOnce() {
        let executor = BroadcastExecutor(on: machine)
        executor.start()
        machine.slept = .seconds(60)
        executor.timerDidFire()
        executor.timerDidFire()
        #expect(machine.sleeps == [.seconds(60)])
    }
}
