import CALSA

/// Sets how often a running PCM wakes its loop: `avail_min` of its software parameters, which may change while it runs.
///
/// As real-time safe as libasound, except for `init` and `deinit`.
package struct PCMWakes: ~Copyable {
    private let pcm: OpaquePointer
    private let parameters: OpaquePointer
    private let configuration: PCMConfiguration
    private var isSeldom = false

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

    /// Selects the longer wake interval or the shorter one. If the device refuses, its interval stays, and the request
    /// is not repeated.
    package mutating func setSeldom(_ isSeldom: Bool) {
        guard isSeldom != self.isSeldom else { return }
        self.isSeldom = isSeldom
        let frameCount = isSeldom ? configuration.seldomWakeFrameCount : configuration.wakeFrameCount
        guard configuration.seldomWakeFrameCount != configuration.wakeFrameCount,
            snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(frameCount)) >= 0
        else { return }
        snd_pcm_sw_params(pcm, parameters)
    }
}
