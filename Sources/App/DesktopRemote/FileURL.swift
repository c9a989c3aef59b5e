/// URLs of files of this machine.
enum FileURL {
    /// Returns the URL of an absolute path (RFC 8089), in which every byte but the unreserved characters and the slash
    /// is percent-encoded (RFC 3986, sections 2.1 and 2.3).
    static func text(of path: String) -> String {
        path.utf8.reduce(into: "file://") { url, byte in
            let character = Unicode.Scalar(byte)
            if isPlain(character) {
                url.unicodeScalars.append(character)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                url += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
    }

    private static func isPlain(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "/": true
        default: false
        }
    }
}
