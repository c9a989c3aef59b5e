import Listening
import Synchronization
import TuttiRuntime

/// A listener's memory without a disk.
final class VolatileMemory: ListenerMemory {
    let records = Mutex<[MemorySubject: MemoryRecord]>([:])
    private let isBroken: Bool
    private let isUnreadable: Bool
    private let isDamaged: Bool

    init(isBroken: Bool = false, isUnreadable: Bool = false, isDamaged: Bool = false) {
        self.isBroken = isBroken
        self.isUnreadable = isUnreadable
        self.isDamaged = isDamaged
    }

    var stored: [MemorySubject: MemoryRecord] { records.withLock { $0 } }

    func load() throws(MemoryFailure) -> MemoryContents {
        if isUnreadable { throw MemoryFailure("cannot read") }
        return MemoryContents(records: stored, damage: isDamaged ? MemoryDamage(path: "memory") : nil)
    }

    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure) -> MemoryDamage? {
        if isBroken { throw MemoryFailure("cannot write") }
        records.withLock { $0[subject] = record }
        return isDamaged ? MemoryDamage(path: "memory", keptAs: "memory.damaged") : nil
    }
}
