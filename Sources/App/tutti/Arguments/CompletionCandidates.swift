/// What a word of the command line may be, as shells offer it. The parser does not look at it: it has its own messages.
indirect enum CompletionCandidates: Hashable, Sendable {
    /// Nothing is known before it is typed.
    case none
    /// One of these words.
    case choices([String])
    /// Some of these words, with commas between them.
    case list([String])
    case files
    case folders
    /// `null`, or `file:` and a path.
    case output
    /// A group of this machine's users.
    case groups
    /// One of the names that this machine keeps.
    case names(KnownNames)
    /// Some of them, with commas between them.
    case nameList(KnownNames)
    /// One of these words, and behind it what follows that one.
    case verbs([Verb])

    struct Verb: Hashable, Sendable {
        var word: String
        var rest = CompletionCandidates.none

        init(_ word: String, _ rest: CompletionCandidates = .none) {
            self.word = word
            self.rest = rest
        }
    }
}
