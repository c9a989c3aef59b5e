import Listening
import TuttiRuntime

/// Rates and loudspeaker settings in one small file of the state directory, replaced whole under a lock: processes that
/// write at the same moment do not overwrite each other's records.
struct MemoryStore: ListenerMemory {
    static let fileName = "memory"

    let directory: StateDirectory

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> MemoryStore? { StateDirectory.standard().map(MemoryStore.init) }

    func load() -> [MemorySubject: MemoryRecord] { ((try? contents()) ?? MemoryFile()).records }

    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure) {
        do throws(StateError) {
            try directory.exclusively { () throws(StateError) in
                var file = try contents()
                file.records[subject] = record
                try directory.write(file.bytes, to: Self.fileName)
            }.get()
        } catch {
            throw MemoryFailure("\(error)")
        }
    }

    private func contents() throws(StateError) -> MemoryFile {
        try directory.read(Self.fileName).map(MemoryFile.init) ?? MemoryFile()
    }
}
