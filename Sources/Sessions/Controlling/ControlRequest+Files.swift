import WireProtocol

extension ControlRequest {
    /// The same for a broadcaster that cannot open this machine's files: they are sent.
    var sendingFiles: [ControlRequest] {
        guard case .command(let command) = self else { return [self] }
        switch command.operation {
        case .programme(.add(let sources)): return Self.requests(command, sources, at: nil)
        case .programme(.insert(let sources, let position)): return Self.requests(command, sources, at: position)
        default: return [self]
        }
    }

    private static func requests(
        _ command: Command, _ sources: [ItemSource], at position: Int?
    ) -> [ControlRequest] {
        let hasFiles = sources.contains { if case .file = $0 { true } else { false } }
        guard hasFiles else { return [.command(command)] }
        return sources.enumerated().map { index, source in
            let place = position.map { $0 + index }
            return switch source {
            case .file(let path): .send(path: path, position: place)
            case .web: .command(Command(.programme(place.map { .insert([source], at: $0) } ?? .add([source]))))
            }
        }
    }
}
