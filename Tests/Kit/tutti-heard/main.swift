// tutti-heard: how far apart recordings are, as heard, and whether they hold what they should.
//
//     tutti-heard FIRST.wav SECOND.wav ...                 skew of every further recording against the first
//     tutti-heard --reference SONG.wav HEARD.wav ...       each recording against the decoded song
//     tutti-heard --make-song SONG.wav SECONDS             writes a song to try it with
import Glibc
import HeardAnalysis

func microseconds(_ seconds: Double?) -> String { seconds.map { fixed($0 * 1e6, 1) } ?? "-" }

func complain(_ text: String) {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

func printSkew(_ paths: [String]) throws {
    let first = try HeardRecording(path: paths[0])
    for path in paths.dropFirst() {
        let report = skew(between: first, and: try HeardRecording(path: path))
        print("\(path) against \(paths[0]):")
        print("  windows \(report.windows.count), unlike \(report.unlikeWindows.count)")
        print("  onset skew \(microseconds(report.onsetSkew)) us, first window \(microseconds(report.firstSkew)) us")
        let parts = [0.5, 0.99, 1].map { microseconds(report.percentile($0)) }
        print("  skew p50 \(parts[0]) us, p99 \(parts[1]) us, max \(parts[2]) us")
    }
}

func printComparison(_ reference: String, _ paths: [String]) throws -> Bool {
    let song = try HeardRecording(path: reference)
    var isClean = true
    for path in paths {
        let report = compare(try HeardRecording(path: path), with: song)
        isClean = isClean && report.isClean
        print("\(path): \(report.isClean ? "clean" : report.isFound ? "BLEMISHED" : "NOT FOUND")")
        print("  residual worst \(fixed(report.worstLevel, 1)), median \(fixed(report.medianLevel, 1)) dBFS")
        print(
            "  gain \(fixed(report.gain, 4)), speed \(fixed(report.speedPartsPerMillion, 2)) ppm, breaks \(report.breaks)"
        )
        for blemish in report.blemishes.prefix(20) { print("  \(blemish)") }
    }
    return isClean
}

var arguments = Array(CommandLine.arguments.dropFirst())
do {
    if arguments.first == "--reference", arguments.count >= 3 {
        exit(try printComparison(arguments[1], Array(arguments.dropFirst(2))) ? 0 : 1)
    }
    if arguments.first == "--make-song", arguments.count == 3, let seconds = Double(arguments[2]) {
        let song = TestSong(duration: min(max(seconds, 1), 600)).recording(sampleRate: 44_100)
        try song.write(to: arguments[1], format: .int16, sidecar: false)
        exit(0)
    }
    guard arguments.count >= 2, !arguments[0].hasPrefix("-") else {
        complain(
            "usage: tutti-heard FIRST.wav SECOND.wav ... | tutti-heard --reference SONG.wav HEARD.wav ... | tutti-heard --make-song SONG.wav SECONDS\n"
        )
        exit(64)
    }
    try printSkew(arguments)
} catch {
    complain("tutti-heard: \(error)\n")
    exit(1)
}
