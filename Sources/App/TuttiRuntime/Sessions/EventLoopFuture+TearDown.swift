import NIOCore

extension EventLoopFuture where Value: Sendable {
    /// Tears down what ran until this future, whatever its result, which the returned future then has.
    func afterTearDown(_ tearDown: @escaping @Sendable () -> EventLoopFuture<Void>) -> EventLoopFuture<Value> {
        flatMap { value in tearDown().map { value } }
            .flatMapError { error in tearDown().flatMap { self.eventLoop.makeFailedFuture(error) } }
    }
}
