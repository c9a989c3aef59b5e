import NIOCore

/// What waits to be written on all connections of a server: slow readers may have little each, and must not have much
/// together.
///
/// Where all of it is more than the limit, those that have most waiting are given up, until it is not: whoever reads
/// has little waiting. Confined to one event loop.
final class WriteBudget {
    /// What waits on one connection.
    final class Share {
        fileprivate(set) var byteCount = 0
        fileprivate private(set) var isGivenUp = false
        private let onGivingUp: () -> Void

        /// - Parameter onGivingUp: must end the connection; called once at most.
        init(onGivingUp: @escaping () -> Void) { self.onGivingUp = onGivingUp }

        fileprivate func giveUp() {
            isGivenUp = true
            onGivingUp()
        }
    }

    private let limit: Int
    /// Of all shares.
    private(set) var byteCount = 0
    /// Those with something waiting.
    private var shares: [ObjectIdentifier: Share] = [:]

    /// - Parameter limit: bytes.
    init(limit: Int) { self.limit = limit }

    /// Whether so many bytes more would make this share the one to be given up: then they are better not written.
    func isTooMuch(_ count: Int, for share: Share) -> Bool {
        guard byteCount + count > limit else { return false }
        return shares.values.allSatisfy { $0 === share || $0.byteCount <= share.byteCount + count }
    }

    /// Takes note that bytes are to be written.
    func add(_ count: Int, to share: Share) {
        guard count > 0, !share.isGivenUp else { return }
        share.byteCount += count
        byteCount += count
        shares[ObjectIdentifier(share)] = share
        while byteCount > limit, let largest = shares.values.max(by: { $0.byteCount < $1.byteCount }) {
            remove(largest)
            largest.giveUp()
        }
    }

    /// Takes note that bytes were written, or will not be.
    func remove(_ count: Int, from share: Share) {
        guard !share.isGivenUp else { return }
        let count = min(count, share.byteCount)
        share.byteCount -= count
        byteCount -= count
        if share.byteCount == 0 { shares[ObjectIdentifier(share)] = nil }
    }

    /// Takes note that nothing of it will be written any more.
    func remove(_ share: Share) { remove(share.byteCount, from: share) }
}
