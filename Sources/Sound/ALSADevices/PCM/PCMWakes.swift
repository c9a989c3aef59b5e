import CALSA

/// Sets how often a running PCM wakes its loop: `avail_min` of its software parameters, which may change while it runs.
///
/// As real-time safe as libasound, except for `init` and `deinit`.
package struct PCMWakes: ~Copyable {
    private let pcm: OpaquePointer
    private let parameters: OpaquePointer
    private let configuration: PCMConfiguration
    private var isSettled = false

    /// For a PCM with this configuration. Nil if there is no memory left.
    package init?(_ pcm: OpaquePointer, _ configuration: PCMConfiguration) {
        var allocated: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&allocated) >= 0, let allocated else { return nil }
        self.pcm = pcm
        self.configuration = configuration
        parameters = allocated
        snd_pcm_sw_params_current(pcm, parameters)
    }

    deinit { snd_pcm_sw_params_free(parameters) }

    /// Selects the wake interval of a settled clock, or that of one still being learned. If the device refuses, its
    /// interval stays, and the request is not repeated.
    package mutating func setClockSettled(_ isSettled: Bool) {
        guard isSettled != self.isSettled else { return }
        self.isSettled = isSettled
        let frameCount = isSettled ? configuration.settledWakeFrameCount : configuration.wakeFrameCount
        guard configuration.settledWakeFrameCount != configuration.wakeFrameCount,
            snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(frameCount)) >= 0
        else { return }
        snd_pcm_sw_params(pcm, parameters)
    }
}
