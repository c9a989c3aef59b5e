import Glibc
import LibavcodecDecoding
import Synchronization

/// The processes that decode AAC, ALAC, FLAC, Vorbis, Opus, AC-3 and AMR: this program, started again for each song,
/// without rights.
///
/// A program that does not offer this decodes PCM, G.711, IMA 4:1 and MPEG audio only. It can broadcast other songs to
/// listeners that can decode them; as a listener it is sent them as PCM.
public enum DecodeWorkers {
    private static let isOffered = Atomic(false)

    /// Offers this program as a worker. Call it first in `main`, before there are threads: in a process that was
    /// started as a worker it decodes, and does not return.
    public static func offerThisProgram() {
        if CommandLine.arguments.dropFirst().first == DecodeWorker.argument { exit(DecodeWorker.run()) }
        isOffered.store(true, ordering: .relaxed)
    }

    /// Whether workers may be started.
    static var areThere: Bool { isOffered.load(ordering: .relaxed) }
}
