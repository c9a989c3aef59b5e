/// What broadcasters and listeners say of a peer whose name belongs to another key.
struct AnotherKeySentence {
    /// As it is pinned.
    let name: String

    var text: String {
        "'\(name)' has another key than before: if it was set up anew, run `\(remedy)`; until then --to and --from do "
            + "not take it"
    }

    private var remedy: String { "tutti peers forget \(name.hasPrefix("-") ? "-- " : "")\(name.shellWord)" }
}
