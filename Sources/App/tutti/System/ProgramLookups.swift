import AudioCore
import HostSystem
import TuttiRuntime
import WireProtocol

/// Answers what others look up by this very program, run as a child: what reads anybody's songs and pictures has limits
/// and little of the processor, and its memory is gone afterwards.
final class ProgramLookups: MusicLookups {
    private let process: BoundedProcess

    /// Of this process, from its file: also where another version has taken its place meanwhile.
    private static let program = "/proc/self/exe"

    private init(_ process: BoundedProcess) { self.process = process }

    /// - Returns: nil if the process has no file descriptor left: then nothing is found.
    static func ofThisProgram() -> ProgramLookups? { (try? BoundedProcess()).map { ProgramLookups($0) } }

    func find(_ lookup: MusicLookup) -> MusicLookupResult {
        do throws(ProcessError) {
            // Where the library is depends on the environment, and which decoders there are.
            let output = try process.run(
                [Self.program, Tutti.ignoringOption] + lookup.arguments, environment: ProcessEnvironment.entries,
                limits: lookup.limits)
            return .found(output)
        } catch {
            // Why is told on its standard error, and is nobody else's business.
            return .nothing(reason: error.isByItself ? "" : "it cannot be read there")
        }
    }

    func stop() { process.cancel() }
}

extension MusicLookup {
    fileprivate var arguments: [String] {
        switch self {
        case .lyrics(let path): ["inspect", "--lyrics", "--", path]
        case .artwork(let path): ["inspect", "--artwork", "--", path]
        case .levels(let path): ["inspect", "--levels", "--", path]
        case .songs(let query, let limit): ["search", "--tabs", "--limit", "\(limit)", "--"] + Self.words(query)
        case .findings: ["doctor", "--tabs"]
        }
    }

    /// A line with quotation marks is one argument.
    private static func words(_ query: String) -> [String] {
        query.contains("\"") ? [query] : query.split(separator: " ").map(String.init)
    }

    fileprivate var limits: ProcessLimits {
        var limits = ProcessLimits(
            time: .seconds(20), outputByteCount: WireLimits.findingByteCount, memoryByteCount: 1 << 30, niceness: 10)
        switch self {
        case .lyrics, .artwork: break
        // An hour of music is decoded in some seconds.
        case .levels: (limits.time, limits.processorSeconds) = (.seconds(55), 50)
        // What is new in the folders is read first, for ten seconds.
        case .songs:
            limits.processorSeconds = 20
            (limits.fileByteCount, limits.descriptorCount) = (1 << 32, 256)
        // It writes a small file to see whether it can, and calls others.
        case .findings: (limits.fileByteCount, limits.descriptorCount) = (1 << 20, 256)
        }
        return limits
    }
}

extension ProcessError {
    /// Whether the program itself found nothing.
    fileprivate var isByItself: Bool { if case .failed(status: 1) = self { true } else { false } }
}
