/// The name or path of a file as the system compares it: byte by byte. Two Strings are equal if they look the same.
struct FileKey: Hashable {
    private let bytes: [UInt8]

    init(_ name: String) { bytes = Array(name.utf8) }
}
