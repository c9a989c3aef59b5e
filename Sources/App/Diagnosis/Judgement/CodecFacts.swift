import AudioDecoding
import LibavcodecDecoding

/// The decoders of a foreign library, in a process without rights.
struct CodecFacts: Judged {
    enum Worker: Hashable, Sendable {
        /// There is no library, or this program is no worker.
        case notTried
        case works
        case failed(AudioDecodingError)
    }

    var availability: CodecLibrary.Availability
    var worker = Worker.notTried

    private static let why =
        "AAC, ALAC, FLAC, Vorbis, Opus and AC-3 are sent as PCM then, and cannot be broadcast from here"

    var findings: [Finding] {
        switch (availability, worker) {
        case (.missing, _):
            [
                Finding(
                    "codecs.missing", .warning, "libavcodec is not installed", why: Self.why,
                    remedy: "sudo apt install libavcodec\(CodecLibraryVersion.codec)")
            ]
        case (.other(let major), _):
            [
                Finding(
                    "codecs.other-version", .warning,
                    CodecLibraryVersion.objection(toCodec: major) ?? "libavcodec \(major) was found", why: Self.why,
                    remedy: "install libavcodec\(CodecLibraryVersion.codec) beside it")
            ]
        case (.supported, .works):
            [Finding("codecs.work", .ok, "libavcodec \(CodecLibraryVersion.codec) decodes in its sandbox")]
        case (.supported, .notTried):
            [Finding("codecs.installed", .ok, "libavcodec \(CodecLibraryVersion.codec) is installed")]
        case (.supported, .failed(let error)):
            [
                Finding(
                    "codecs.no-sandbox", .problem,
                    "the process that decodes does not work: \(String(displaying: "\(error)", maximumByteCount: 200))",
                    why: Self.why,
                    remedy: "let this program start itself without rights: in containers and units, allow seccomp "
                        + "filters, and processes")
            ]
        }
    }
}
