import CALSA

/// Sets how often a running PCM wakes its loop, and how far its buffer is to be filled: `avail_min` of its software
/// parameters may change while it runs.
///
/// As real-time safe as libasound, except for `init` and `deinit`.
package struct PCMWakes: ~Copyable {
    private let pcm: OpaquePointer
    private let parameters: OpaquePointer
    private let paces: PCMPaces
    /// The pace that was selected.
    package private(set) var pace = PCMPace.frequent
    private var marks: PCMPaces.Marks

    /// For a PCM with this configuration, which wakes its loop at the pace ``PCMPace/frequent``. Nil if there is no
    /// memory left.
    package init?(_ pcm: OpaquePointer, _ configuration: PCMConfiguration) {
        var allocated: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&allocated) >= 0, let allocated else { return nil }
        self.pcm = pcm
        paces = configuration.paces
        marks = paces[.frequent]
        parameters = allocated
        snd_pcm_sw_params_current(pcm, parameters)
    }

    deinit { snd_pcm_sw_params_free(parameters) }

    /// How many frames of the buffer are to be filled.
    package var filledFrameCount: Int { marks.filled }

    /// Selects a pace. If the device refuses, its wakes stay as they are, and the request is not repeated.
    package mutating func set(_ pace: PCMPace) {
        let former = marks
        (self.pace, marks) = (pace, paces[pace])
        guard marks.wakeAt != former.wakeAt,
            snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(marks.wakeAt)) >= 0
        else { return }
        snd_pcm_sw_params(pcm, parameters)
    }
}
