import Listening
import Synchronization
import TuttiRuntime

/// A listener's memory without a disk.
final class VolatileMemory: ListenerMemory {
    let records = Mutex<[MemorySubject: MemoryRecord]>([:])
    private let isBroken: Bool
    private let isDamaged: Bool

    init(isBroken: Bool = false, isDamaged: Bool = false) {
        self.isBroken = isBroken
        self.isDamaged = isDamaged
    }

    func load() -> [MemorySubject: MemoryRecord] { records.withLock { $0 } }

    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure) -> MemoryDamage? {
        if isBroken { throw MemoryFailure("cannot write") }
        records.withLock { $0[subject] = record }
        return isDamaged ? MemoryDamage(path: "memory", keptAs: "memory.damaged") : nil
    }
}
