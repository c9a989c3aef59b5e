import Glibc
import LibavcodecDecoding
import Synchronization

/// The processes in which AAC, ALAC, FLAC, Vorbis, Opus, AC-3 and AMR are decoded: this very program, started anew for
/// each song, without rights.
///
/// A program that does not offer to be started so has no decoders but those of PCM, G.711, IMA 4:1 and MPEG audio. It can
/// broadcast the other songs to listeners that can decode them, and as a listener is sent them as PCM.
public enum DecodeWorkers {
    private static let isOffered = Atomic(false)

    /// Offers this program as a worker. Call it first in `main`, before there are threads: in a process that was started to
    /// decode it does that, and does not return.
    public static func offerThisProgram() {
        if CommandLine.arguments.dropFirst().first == DecodeWorker.argument { exit(DecodeWorker.run()) }
        isOffered.store(true, ordering: .relaxed)
    }

    /// Whether workers may be started.
    static var areThere: Bool { isOffered.load(ordering: .relaxed) }
}
