import CALSA
import Glibc
import HeardAnalysis
import SoundCardKit

/// An ALSA call that failed.
struct ALSAError: Error, Equatable {
    var code: Int32
}

@discardableResult
func check(_ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw ALSAError(code: -result) }
    return result
}

@discardableResult
func check(_ result: Int) throws -> Int {
    guard result >= 0 else { throw ALSAError(code: Int32(-result)) }
    return result
}

/// A card in a directory of its own, that goes away with it.
final class TestCard {
    let card: SoftwareCard
    private let directory: String

    /// - Parameter air: what the card captures.
    init(air: MicrophoneNoise? = nil, _ adapt: (inout SoftwareCard) -> Void = { _ in }) throws {
        directory = String(cString: mkdtemp(strdup("/tmp/tutti-card-XXXXXX")))
        var card = SoftwareCard(recording: directory + "/heard.wav")
        if let air {
            card.source = directory + "/air.wav"
            try air.write(to: directory + "/air.wav")
        }
        adapt(&card)
        self.card = card
        try SoftwareCard.writeConfiguration(to: directory + "/asound.conf", default: nil)
    }

    deinit {
        for name in [
            "heard.wav", "heard.wav.timing", "heard.wav.lock", "heard.wav.control", "air.wav", "air.wav.timing",
            "air.wav.lock", "asound.conf",
        ] {
            unlink(directory + "/" + name)
        }
        rmdir(directory)
    }

    func recording() throws -> HeardRecording { try HeardRecording(path: card.recording) }

    /// Under this card's own configuration, so that tests do not share libasound's.
    func open(_ stream: snd_pcm_stream_t = SND_PCM_STREAM_PLAYBACK) throws -> PCM {
        try PCM(card: card, configuration: directory + "/asound.conf", stream: stream)
    }

    /// What the sidecar of the source says.
    func air() throws -> HeardRecording { try HeardRecording(path: directory + "/air.wav") }
}

/// A device as an application sees it.
final class PCM {
    private let handle: OpaquePointer
    private let configuration: OpaquePointer
    var channels = 2

    init(card: SoftwareCard, configuration path: String, stream: snd_pcm_stream_t) throws {
        var tree: OpaquePointer?
        try check(snd_config_top(&tree))
        var input: OpaquePointer?
        try check(snd_input_stdio_open(&input, path, "r"))
        defer { snd_input_close(input) }
        try check(snd_config_load(tree, input))
        var handle: OpaquePointer?
        let error = snd_pcm_open_lconf(&handle, card.deviceName, stream, 0, tree)
        guard error >= 0, let handle, let tree else {
            snd_config_delete(tree)
            throw ALSAError(code: -error)
        }
        self.handle = handle
        configuration = tree
    }

    deinit {
        snd_pcm_close(handle)
        snd_config_delete(configuration)
    }

    func configure(
        _ format: snd_pcm_format_t = SND_PCM_FORMAT_S16_LE, rate: UInt32 = 48_000, channels: Int = 2,
        buffer: UInt32 = 500_000
    ) throws {
        self.channels = channels
        try check(
            snd_pcm_set_params(
                handle, format, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(channels), rate, 0, buffer))
    }

    @discardableResult
    func write(_ samples: [Int16]) throws -> Int {
        try check(snd_pcm_writei(handle, samples, snd_pcm_uframes_t(samples.count / channels)))
    }

    @discardableResult
    func write(bytes: [UInt8], frameByteCount: Int) throws -> Int {
        try check(snd_pcm_writei(handle, bytes, snd_pcm_uframes_t(bytes.count / frameByteCount)))
    }

    /// Waits until as many frames are there, and takes them.
    func read(_ frames: Int, frameByteCount: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: frames * frameByteCount) { bytes, count in
            count = try check(snd_pcm_readi(handle, bytes.baseAddress, snd_pcm_uframes_t(frames))) * frameByteCount
        }
    }

    /// A full buffer has started by itself already.
    func start() throws {
        if state == SND_PCM_STATE_PREPARED { try check(snd_pcm_start(handle)) }
    }
    func drain() throws { try check(snd_pcm_drain(handle)) }
    func drop() throws { try check(snd_pcm_drop(handle)) }
    func prepare() throws { try check(snd_pcm_prepare(handle)) }
    func pause(_ pauses: Bool) throws { try check(snd_pcm_pause(handle, pauses ? 1 : 0)) }
    func avail() throws -> Int { try check(snd_pcm_avail(handle)) }
    func wait(milliseconds: Int32 = 1_000) throws -> Bool { try check(snd_pcm_wait(handle, milliseconds)) == 1 }
    func rewindable() throws -> Int { try check(snd_pcm_rewindable(handle)) }
    func rewind(_ frames: Int) throws -> Int { try check(snd_pcm_rewind(handle, snd_pcm_uframes_t(frames))) }

    func delay() throws -> Int {
        var frames: snd_pcm_sframes_t = 0
        try check(snd_pcm_delay(handle, &frames))
        return frames
    }

    var state: snd_pcm_state_t { snd_pcm_state(handle) }

    /// The delay as status reports it, and the true times between which it was taken.
    func status() throws -> (delay: Int, from: Int64, to: Int64) {
        var status: OpaquePointer?
        try check(snd_pcm_status_malloc(&status))
        defer { snd_pcm_status_free(status) }
        let from = trueNow()
        try check(snd_pcm_status(handle, status))
        return (snd_pcm_status_get_delay(status), from, trueNow())
    }
}
