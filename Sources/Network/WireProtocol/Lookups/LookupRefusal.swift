/// Why nothing is looked up, for people.
public enum LookupRefusal {
    public static let foreignLibrary = "its library is for members of its household"
    public static let foreignMachine = "what is wrong there is for members of its household"
    public static let unknownSubject = "it knows nothing of that kind; it is another version of Tutti"
    public static let tooMany = "too much is looked up there at once; try again"
}
