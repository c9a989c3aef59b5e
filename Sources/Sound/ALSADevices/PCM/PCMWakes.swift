import CALSA

/// How often a running PCM wakes its loop: the `avail_min` of its software parameters, which may change while it runs.
///
/// Real-time safe but for `init` and `deinit`, as far as libasound is.
package struct PCMWakes: ~Copyable {
    private let pcm: OpaquePointer
    private let parameters: OpaquePointer
    private let configuration: PCMConfiguration
    private var isCalm = false

    /// Of a PCM that was set up so. Nil where there is no memory left.
    package init?(_ pcm: OpaquePointer, _ configuration: PCMConfiguration) {
        var allocated: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&allocated) >= 0, let allocated else { return nil }
        self.pcm = pcm
        self.configuration = configuration
        parameters = allocated
        snd_pcm_sw_params_current(pcm, parameters)
    }

    deinit { snd_pcm_sw_params_free(parameters) }

    /// From now on the PCM wakes us as often as a calm loop needs, or as often as a learning one. A device that refuses
    /// stays as it is, and is not asked again.
    package mutating func setCalm(_ isCalm: Bool) {
        guard isCalm != self.isCalm else { return }
        self.isCalm = isCalm
        let frameCount = isCalm ? configuration.calmWakeFrameCount : configuration.wakeFrameCount
        guard configuration.calmWakeFrameCount != configuration.wakeFrameCount,
            snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(frameCount)) >= 0
        else { return }
        snd_pcm_sw_params(pcm, parameters)
    }
}
