import AudioCore
import NIOCore
import Peering
import SimulationKit
import Testing

/// The simulated network itself: what TCP makes of one that carries nothing for a while.
@Suite(.timeLimit(.minutes(5))) struct NetworkFaultTests {
    /// Two machines, and what the second was told by the first over one connection.
    private final class Pair {
        let loop = EventLoop()
        let network: VirtualNetwork
        let near: VirtualMachine
        let far: VirtualMachine
        var dialled: StreamEndpoint?
        var accepted: StreamEndpoint?
        /// Each byte that arrived, and when.
        var received: [(time: Double, byte: UInt8)] = []
        var writtenByteCount = 0
        var brokenAt: Double?

        init() {
            network = VirtualNetwork(loop: loop, random: SimulationRandom(seed: 3))
            near = VirtualMachine(name: "near", loop: loop, clock: VirtualClock())
            far = VirtualMachine(name: "far", loop: loop, clock: VirtualClock())
            for machine in [near, far] { network.attach(machine, quality: .quietLAN) }
            network.listen(on: far) { [unowned self] endpoint in
                accepted = endpoint
                let received = { [unowned self] (bytes: ByteBuffer) in
                    self.received += bytes.readableBytesView.map { (loop.now.seconds, $0) }
                }
                endpoint.begin(received: received, wrote: { _ in }, closed: {})
            }
            network.dial(from: near, to: NetworkAddress(host: "far")) { [unowned self] outcome in
                dialled = try? outcome.get()
                dialled?.begin(
                    received: { _ in }, wrote: { [unowned self] in writtenByteCount += $0 },
                    closed: { [unowned self] in brokenAt = loop.now.seconds })
            }
            run(to: 0.1)
        }

        deinit { loop.removeAll() }

        func run(to seconds: Double) { loop.run(until: TrueTime(seconds: seconds)) }
        func write(_ byte: UInt8) { dialled?.write(ByteBuffer(bytes: [byte])) }
    }

    /// The tries are 0.21, 0.63, 1.47, 3.15 and 6.51 s after the first loss.
    @Test(arguments: CutDirection.allCases)
    func afterACutTheBytesComeWithTheNextTry(direction: CutDirection) throws {
        let pair = Pair()
        pair.network.cut(off: pair.far, direction, for: .seconds(5))
        pair.write(1)
        for (index, time) in [1.0, 3, 4].enumerated() {
            pair.run(to: time)
            pair.write(UInt8(index + 2))
        }
        pair.run(to: 6.5)
        // What reached the other side was not heard to: nothing that followed was sent.
        #expect(pair.received.map(\.byte) == (direction == .outbound ? [1] : []))
        pair.run(to: 8)
        #expect(pair.received.map(\.byte) == [1, 2, 3, 4])
        #expect(pair.received.last.map { (6.6...6.8).contains($0.time) } ?? false, "\(pair.received)")
        pair.write(5)
        pair.run(to: 8.01)
        #expect(pair.received.last?.byte == 5)
        #expect(pair.brokenAt == nil)
    }

    @Test func whoDoesNotKnowTheConnectionSaysSo() throws {
        let pair = Pair()
        pair.network.kill(pair.far, sayingGoodbye: false)
        pair.run(to: 1)
        pair.write(1)
        pair.run(to: 2)
        #expect(pair.brokenAt == nil)
        let anew = VirtualMachine(name: "far", loop: pair.loop, clock: VirtualClock())
        pair.network.attach(anew, quality: .quietLAN)
        pair.run(to: 3)
        // The first try that it is there for.
        let broken = try #require(pair.brokenAt)
        #expect((2.4...2.6).contains(broken), "\(broken)")
        #expect(pair.received.isEmpty)
        #expect(pair.network.connectionCount(of: pair.near) == 0)
    }

    @Test func aReaderThatStopsHoldsUpTheWriter() throws {
        let pair = Pair()
        pair.network.stopReading(on: pair.far, for: .seconds(3))
        pair.dialled?.write(ByteBuffer(repeating: 7, count: 400 * 1024))
        pair.run(to: 2)
        #expect(pair.received.isEmpty)
        #expect((192 * 1024...208 * 1024).contains(pair.writtenByteCount), "\(pair.writtenByteCount)")
        pair.run(to: 4)
        #expect(pair.received.count == 400 * 1024)
    }

    @Test func aReaderIsAsSlowAsAsked() throws {
        let pair = Pair()
        pair.network.setReadingRate(10_000, of: pair.far)
        pair.dialled?.write(ByteBuffer(repeating: 7, count: 50_000))
        pair.run(to: 5.2)
        let last = try #require(pair.received.last)
        #expect(pair.received.count == 50_000)
        #expect((5.0...5.2).contains(last.time), "\(last.time)")
    }

    @Test func aDialIntoACutFails() throws {
        let pair = Pair()
        pair.network.cut(off: pair.far, .outbound, for: .seconds(3))
        var answers: [Double] = []
        var failures: [DialFailure] = []
        for _ in 0..<2 {
            pair.network.dial(from: pair.near, to: NetworkAddress(host: "far")) { outcome in
                if case .failure(let failure) = outcome { failures.append(failure) }
                answers.append(pair.loop.now.seconds)
            }
            pair.run(to: 2)
            // One that knows that it has no network.
            pair.network.cut(off: pair.near, isSeen: true, for: .seconds(1))
        }
        pair.run(to: 2.5)
        #expect(failures == [.unanswered, .unreachable])
        #expect(answers.count == 2)
        #expect(answers.first.map { (1.1...1.2).contains($0) } ?? false, "\(answers)")
        #expect(answers.last.map { $0 < 2.01 } ?? false, "\(answers)")
    }

    @Test func closingIntoACutEndsTheConnectionOnBothSides() throws {
        let pair = Pair()
        pair.network.cut(off: pair.far, for: .seconds(2))
        pair.write(1)
        pair.dialled?.close()
        pair.run(to: 1.9)
        #expect(pair.brokenAt != nil)
        #expect(pair.network.connectionCount(of: pair.far) == 1)
        pair.run(to: 4)
        #expect(pair.received.map(\.byte) == [1])
        #expect(pair.network.connectionCount(of: pair.far) == 0)
    }
}
