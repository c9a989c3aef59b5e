import AudioCore
import Glibc
import HostSystem
import NIOCore
import NIOPosix

/// The one timer of a session, on its event loop.
///
/// Unlike tasks that SwiftNIO schedules, it may be set anew at no cost: SwiftNIO's loop wakes at the former time all
/// the same, and for a listener a wake costs more than most of the work that it then does.
///
/// Confined to its event loop.
final class LoopTimer {
    private enum State {
        case stopped
        /// The kernel's timer is set.
        case set
        /// It is over at the loop's next turn; the number tells this request from earlier ones.
        case over(Int)
        case closed
    }

    private let loop: any EventLoop
    private let timer: TimerDescriptor
    private let channel: EventLoopFuture<any Channel>
    private var state = State.stopped
    private var count = 0
    /// Called when the time is over.
    var onEnd: () -> Void = {}

    /// - Throws: if the process has no file descriptor left.
    init(on loop: any EventLoop) throws(RuntimeFailure) {
        let timer: TimerDescriptor
        do throws(DescriptorError) { timer = try TimerDescriptor() } catch {
            throw RuntimeFailure(.general, .outOfResources(code: error.code))
        }
        let handler = ExpirationHandler()
        channel = NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler) }
            }
            .takingOwnershipOfDescriptor(input: timer.descriptor)
        self.loop = loop
        self.timer = timer
        handler.timer = self
        channel.whenFailure { _ in Glibc.close(timer.descriptor) }
        // Also if the loop ends: the descriptor's number may then be another's.
        channel.flatMap(\.closeFuture).whenComplete { [weak self] _ in self?.state = .closed }
    }

    deinit { close() }

    /// Fails if the event loop cannot wait for it.
    var readiness: EventLoopFuture<Void> { channel.map { _ in } }

    /// Ends after `span`, and forgets what was set before.
    func start(_ span: TimeSpan) {
        if case .closed = state { return }
        guard span <= .zero else {
            timer.set(span)
            state = .set
            return
        }
        timer.set(nil)
        count += 1
        state = .over(count)
        loop.execute { [weak self, count] in self?.takeEnd(count) }
    }

    /// Forgets what was set, for good.
    func close() {
        if case .closed = state { return }
        state = .closed
        channel.whenSuccess { $0.close(promise: nil) }
    }

    private func takeEnd(_ number: Int) { if case .over(number) = state { end() } }

    fileprivate func didExpire() { if case .set = state { end() } }

    private func end() {
        state = .stopped
        onEnd()
    }
}

// Confined to its event loop.
extension LoopTimer: @unchecked Sendable {}

private final class ExpirationHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    weak var timer: LoopTimer?

    /// What is read is how often it expired.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { timer?.didExpire() }
}
