import AudioCore
import WireProtocol

extension ProgrammeCommand {
    /// Songs that one command may add, and the wire's commands that it may take for them.
    static let addedCount = WireLimits.foundSongCount
    static let additionCount = 64

    static func addition(_ value: JSONValue) throws(ProgrammeCommandError) -> [ProgrammeOperation] {
        let members = try ObjectReader(value, of: "add", ["paths", "position"])
        var sources: [ItemSource] = []
        for path in try members.texts("paths", "a path or an http or https address", count: 1...addedCount) {
            sources.append(try ItemSource(written: path))
        }
        let batches = ItemSource.batches(of: sources)
        guard batches.count <= additionCount else {
            throw ProgrammeCommandError("'paths' of 'add' are too long together: add them in several commands")
        }
        guard members.value("position") != nil else { return batches.map { .add($0) } }
        var position = Int(try members.integer("position", in: positions))
        var operations: [ProgrammeOperation] = []
        for batch in batches {
            operations.append(.insert(batch, at: position))
            position += batch.count
        }
        return operations
    }
}

extension ItemSource {
    /// A song by what a search found, or by its address on the web. Whether it is there is not looked at.
    /// - Parameter text: an absolute path of the broadcaster's machine, or an `http` or `https` URL.
    public init(written text: String) throws(ProgrammeCommandError) {
        let scheme = text.prefix(8).lowercased()
        if scheme.hasPrefix("http://") || scheme.hasPrefix("https://") {
            guard let address = WebAddress(text) else {
                throw ProgrammeCommandError(
                    "\(text.withoutCredentials.quotedForError) cannot be added: an address has a host, no blanks, and "
                        + "\(WireLimits.addressByteCount) bytes at most")
            }
            self = .web(address)
            return
        }
        guard text.hasPrefix("/") else {
            throw ProgrammeCommandError(
                "\(text.withoutCredentials.quotedForError) cannot be added: it is neither a path that a search found nor "
                    + "an http or https address")
        }
        // The system would take what stands before the NUL for the whole.
        guard !text.utf8.contains(0), let source = ItemSource(path: text) else {
            throw ProgrammeCommandError(
                "\(text.quotedForError) cannot be added: a path has no NUL and \(WireLimits.addressByteCount) bytes at "
                    + "most")
        }
        self = source
    }
}
