/// What a client says of the content codings that it takes (RFC 9110, section 12.5.3).
enum ContentCodings {
    /// Whether gzip may be sent. Unreadable parts of the header count as refusals.
    /// - Parameter header: the Accept-Encoding; without one a client is sent the bytes as they are.
    static func allowGzip(_ header: String?) -> Bool {
        var others = false
        for item in (header ?? "").split(separator: ",") {
            let parts = item.filter { !$0.isWhitespace }.split(separator: ";", omittingEmptySubsequences: false)
            let isAllowed = parts.dropFirst().allSatisfy(isWanted)
            switch parts[0].lowercased() {
            case "gzip", "x-gzip": return isAllowed
            case "*": others = isAllowed
            default: break
            }
        }
        return others
    }

    /// Whether a parameter is a weight above zero: "q=0.5" (section 12.4.2).
    private static func isWanted(_ parameter: Substring) -> Bool {
        let parts = parameter.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "q", let weight = Double(parts[1]) else { return false }
        return weight > 0 && weight <= 1
    }
}
