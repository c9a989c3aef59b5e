import Synchronization

/// Where to ask whether a service is alive: always the thread that does its work at that time.
final class SignOfLife: Sendable {
    /// Has the answer given on the thread that is asked; does nothing if that has ended.
    typealias Question = @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void

    private let question = Mutex<Question?>(nil)

    /// Asks there from now on; nil: nobody answers for now, which is for moments between two who do.
    func ask(by question: Question?) { self.question.withLock { $0 = question } }

    /// Asks. The answer comes on another thread, at once on this one, or never.
    func ask(_ answer: @escaping @Sendable () -> Void) { question.withLock { $0 }?(answer) }
}
