import Glibc
import LANKit

/// Says a line at once, into a pipe as well.
public func tell(_ text: String) {
    print(text)
    fflush(nil)
}

/// Says something on standard error.
public func complain(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
}

/// What the programs that measure on a testbed have in common.
public enum BenchmarkProgram {
    /// Runs a benchmark to its end: with exit code 64 where the command line is refused, 1 where it fails or measures
    /// something above its limit.
    /// - Parameter measure: returns the figures above their limits, in words, and what else makes the run a bad one.
    public static func run(
        _ name: String, _ measure: ([String]) throws -> (excesses: [String], complaint: String?)
    ) -> Never {
        do {
            let (excesses, complaint) = try measure(Array(CommandLine.arguments.dropFirst()))
            for excess in excesses { tell("Above its limit: \(excess)") }
            if let complaint { tell(complaint) }
            exit(excesses.isEmpty && complaint == nil ? 0 : 1)
        } catch let refusal as BenchmarkRefusal {
            complain("\(name): \(refusal.reason)")
            exit(64)
        } catch {
            complain("\(name): \(error)")
            exit(1)
        }
    }

    /// Makes the directory of a report, if this process may build what is to be measured.
    public static func prepare(_ options: BenchmarkOptions) throws {
        guard geteuid() == 0 else { throw LANError.needsRoot }
        guard mkdir(options.output, 0o755) == 0 || errno == EEXIST else {
            throw LANError.system("create \(options.output)", errno)
        }
    }

    /// Writes a part of a report.
    public static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "we") else { throw LANError.system("create \(path)", errno) }
        let bytes = Array(text.utf8)
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw LANError.system("write \(path)", errno) }
    }

    /// A table in Markdown: the first column to the left, the others to the right.
    public static func table(head: [String], _ rows: [[String]]) -> String {
        let rule = head.indices.map { $0 == 0 ? "---" : "---:" }
        return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}
