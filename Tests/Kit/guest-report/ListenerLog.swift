import Glibc
import ProgrammeJSON

/// What a listener with `--json` wrote.
enum ListenerLog {
    /// Its xruns, underruns and replacements in the last status that tells; nil if there is none.
    static func lastCounters(in path: String) -> Int? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        var last: Int?
        while getline(&line, &capacity, file) > 0, let text = line {
            guard let value = try? JSONValue(parsing: String(cString: text), byteLimit: 1 << 20),
                let listener = value.member("listener")
            else { continue }
            let counters = ["xruns", "underruns", "replacements"].map { listener.member($0)?.integer ?? 0 }
            last = max(last ?? 0, Int(counters.reduce(0, +)))
        }
        return last
    }
}
