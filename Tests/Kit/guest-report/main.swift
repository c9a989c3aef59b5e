// guest-report DIR PART...: what Scripts/test-guest measured, as a table. DIR/PART holds what a part left: for each run
// what the listeners A and B said of themselves (RUN.A.json, RUN.B.json), and what was heard (RUN.wav with both cards,
// or a0.wav and a1.wav). Exit code: 0 if everything is within its limit, 1 if not.
import Glibc
import HeardAnalysis

func complain(_ text: String) {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

guard CommandLine.arguments.count > 2 else {
    complain("usage: guest-report DIR PART...\n")
    exit(64)
}
let directory = CommandLine.arguments[1]
var rows: [ReportRow] = []
for part in CommandLine.arguments.dropFirst(2) {
    guard let runs = GuestRun.runs(ofPart: part) else {
        complain("guest-report: no part '\(part)'\n")
        exit(64)
    }
    for run in runs { rows += run.rows(in: "\(directory)/\(part)") }
}
print(ReportRow.table(rows), terminator: "")
exit(rows.contains(where: \.isExceeded) ? 1 : 0)
