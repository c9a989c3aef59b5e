import Listening
import TuttiRuntime

/// Rates and loudspeaker settings in one small file of the state directory, replaced whole under a lock: processes that
/// write at the same moment do not overwrite each other's records.
struct MemoryStore: ListenerMemory {
    static let fileName = "memory"

    let directory: StateDirectory

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> MemoryStore? { StateDirectory.standard().map(MemoryStore.init) }

    func load() throws(MemoryFailure) -> MemoryContents {
        do throws(StateError) {
            let file = try contents()
            let damage: MemoryDamage? = file.isDamaged ? MemoryDamage(path: directory.path(of: Self.fileName)) : nil
            return MemoryContents(records: file.records, damage: damage)
        } catch {
            throw MemoryFailure("\(error)")
        }
    }

    @discardableResult
    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure) -> MemoryDamage? {
        do throws(StateError) {
            return try directory.exclusively { () throws(StateError) in
                var file = try contents()
                let damage: MemoryDamage? =
                    file.isDamaged
                    ? MemoryDamage(
                        path: directory.path(of: Self.fileName),
                        keptAs: directory.path(of: try directory.keepAside(Self.fileName))) : nil
                file.records[subject] = record
                try directory.write(file.bytes, to: Self.fileName)
                return damage
            }.get()
        } catch {
            throw MemoryFailure("\(error)")
        }
    }

    private func contents() throws(StateError) -> MemoryFile {
        try directory.read(Self.fileName).map(MemoryFile.init) ?? MemoryFile()
    }
}
