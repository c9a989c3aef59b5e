import AudioCore
import HostSystem
import Synchronization
import TerminalIO
import TuttiRuntime

/// Renders the last picture that is asked for, on a thread of its own. Any thread may call any method.
final class PictureThread: Sendable {
    private struct State {
        /// What is to be rendered.
        var request: PictureRequest?
        /// Counts requests: what was rendered for an earlier one is dropped.
        var number = 0
        var isStopped = false
    }

    private let renderer: PictureRenderer
    private let state = Mutex(State())
    private let wake: WakeSignal
    private let handler: @Sendable (TerminalPicture?, _ number: Int) -> Void

    /// - Parameter handler: is given each picture that is still asked for, nil if it cannot be shown; and the number
    ///   of its request.
    init(
        _ renderer: PictureRenderer, _ handler: @escaping @Sendable (TerminalPicture?, _ number: Int) -> Void
    ) throws(DescriptorError) {
        self.renderer = renderer
        self.handler = handler
        wake = try WakeSignal()
    }

    func start() throws(RuntimeFailure) -> HostThread {
        do {
            return try HostThread(name: "tutti picture") { self.run() }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }

    /// Renders this instead of what was asked for before; nil: nothing.
    /// - Returns: the number of the request.
    func request(_ request: PictureRequest?) -> Int {
        defer { wake.signal() }
        return state.withLock { state in
            state.request = request
            state.number += 1
            return state.number
        }
    }

    /// Ends the thread, and the viewer with it.
    func stop() {
        state.withLock { $0.isStopped = true }
        renderer.cancel()
        wake.signal()
    }

    private func run() {
        while true {
            let (request, number, isStopped) = state.withLock { state in
                defer { state.request = nil }
                return (state.request, state.number, state.isStopped)
            }
            if isStopped { return }
            guard let request else {
                wake.wait(atMost: .seconds(60))
                continue
            }
            let picture = renderer.picture(request)
            if state.withLock({ $0.number == number && !$0.isStopped }) { handler(picture, number) }
        }
    }
}
