/// What is said of a machine that has a household's document, and a key that the household never let in.
struct UnknownKeySentence {
    let household: String

    var text: String {
        "this machine takes part with nobody: its key, which was lost or replaced, is not known to the household "
            + "\(household); 'tutti household remove NAME' on a member removes the former key, then "
            + "'tutti household leave' and 'tutti pair' here let this machine in anew"
    }
}
