import WireProtocol

extension Command {
    /// Where the item stands that it names by its position; nil if it names none that way.
    var itemPosition: Int? { if case .position(let position)? = item { position } else { nil } }

    private var item: ItemReference? {
        switch operation {
        case .programme(.jump(let item)), .programme(.remove(let item)), .programme(.move(let item, _)): item
        default: nil
        }
    }

    /// The same command, about the item of this id.
    func naming(_ id: ItemID) -> Command {
        var command = self
        switch operation {
        case .programme(.jump): command.operation = .programme(.jump(to: .id(id)))
        case .programme(.remove): command.operation = .programme(.remove(.id(id)))
        case .programme(.move(_, let position)): command.operation = .programme(.move(.id(id), to: position))
        default: break
        }
        return command
    }
}
