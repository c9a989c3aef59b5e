import AudioCore
import CALSA
import Glibc
import Playout

/// The negotiated configuration of a PCM. Constant while the PCM is open.
package struct PCMConfiguration: Sendable {
    package var format: PCMSampleFormat
    /// Frames per second, nominal.
    package var rate: Double
    package var channelCount: Int
    package var periodFrameCount: Int
    package var bufferFrameCount: Int
    package var paces: PCMPaces
    package var timestampClock: TimestampClock

    package var bytesPerFrame: Int { format.byteCount * channelCount }
    package var period: TimeSpan { TimeSpan(seconds: Double(periodFrameCount) / rate) }
    package var buffer: TimeSpan { TimeSpan(seconds: Double(bufferFrameCount) / rate) }
    /// No sound card has a delay of more than its buffer and a second.
    var longestDelayFrameCount: Int { bufferFrameCount + Int(rate) }
}

/// The requested configuration of a PCM.
package struct PCMRequest: Sendable {
    /// In hertz; and whether no other rate will do: a plugin then converts, or the request fails.
    package var rate: UInt32 = 48_000
    package var isRateFixed = false
    package var channelCount: UInt32 = 2
    package var isChannelCountFixed = false
    /// Best first.
    package var formats = PCMSampleFormat.allCases
    package var periodMicroseconds: UInt32 = 5_000
    package var bufferMicroseconds: UInt32 = 150_000
    /// The same of a device that can have as many periods as that takes; used if longer.
    package var longBufferMicroseconds: UInt32 = 0
    /// How much of the buffer is kept filled, except at the pace ``PCMPace/deep``.
    package var filledMicroseconds: UInt32 = .max
    /// How much of that must be writable, or readable, before a wake; at least a period.
    package var wakeMicroseconds: UInt32 = 0
    /// The same where wakes may be seldom; used if longer.
    package var seldomWakeMicroseconds: UInt32 = 0

    package init() {}

    /// 48 kHz, two channels, a pointer that moves every 5 ms, and a buffer of 500 ms, of which 150 ms are filled and a
    /// wake comes every 10 ms; once the clock is known, all is filled and a wake comes every 400 ms. A device of few
    /// periods has a buffer of 300 ms, and a wake comes every 200: with 32 periods (Intel's HDA, AC97) half a second
    /// takes periods of 16 ms, and with these two listeners on QEMU's HDA wandered by 34 to 171 us.
    ///
    /// The buffer carries the sound through a machine that freezes for 100 ms. Commands do not wait for it, because
    /// written frames can be taken back (`snd_pcm_rewind`). A device that keeps what it has is filled with 150 ms for
    /// ever, and wakes its loop every 50 ms once its clock is known.
    package static let playback: PCMRequest = {
        var request = PCMRequest()
        request.bufferMicroseconds = 300_000
        request.longBufferMicroseconds = 500_000
        request.filledMicroseconds = 150_000
        request.wakeMicroseconds = 10_000
        request.seldomWakeMicroseconds = 50_000
        return request
    }()

    /// The same of a sound server's plugin: a buffer of 150 ms, all of it filled, and wakes every 10 ms. PipeWire takes
    /// what must be writable at a wake for the latency that is wanted of it; a part that is left empty counts, too.
    static let serverPlayback: PCMRequest = {
        var request = playback
        request.bufferMicroseconds = request.filledMicroseconds
        request.longBufferMicroseconds = 0
        return request
    }()

    static let channelRange: ClosedRange<UInt32> = 1...8
    /// In hertz.
    static let rateRange: ClosedRange<UInt32> = 4_000...400_000
    /// A period is no longer than this in a long buffer.
    static let longestPeriodMicroseconds: UInt32 = 10_000
    /// A device that claims more is not believed, and its buffer not allocated.
    static let largestBufferFrameCount = 1 << 20
}

extension PCMHandle {
    /// Negotiates hardware parameters, then sets software parameters.
    ///
    /// The renderer converts rates, where the device shows its true rates.
    package func configure(_ request: PCMRequest = .playback) throws(OutputDeviceError) -> PCMConfiguration {
        var configuration: PCMConfiguration
        do {
            configuration = try negotiate(request, isRateConverted: false)
        } catch {
            switch error {
            case .failed: break
            case .unsupportedConfiguration where request.isRateFixed: break
            default: throw error
            }
            configuration = try negotiateConverted(request)
        }
        configuration.timestampClock = try setSoftwareParameters(configuration)
        return configuration
    }

    /// Negotiates again with rate conversion. If a plugin needs what the next one lacks, the configuration space is
    /// empty, which libasound reports as an invalid argument.
    private func negotiateConverted(_ request: PCMRequest) throws(OutputDeviceError) -> PCMConfiguration {
        do {
            return try negotiate(request, isRateConverted: true)
        } catch {
            guard case .failed(_, _, EINVAL, _) = error else { throw error }
            throw unsupported("ALSA finds no set-up in which its plugins work together")
        }
    }

    private func negotiate(_ request: PCMRequest, isRateConverted: Bool) throws(OutputDeviceError) -> PCMConfiguration {
        var allocated: OpaquePointer?
        try check(snd_pcm_hw_params_malloc(&allocated), "allocate parameters")
        guard let parameters = allocated else { throw unsupported("no memory for its parameters") }
        defer { snd_pcm_hw_params_free(parameters) }

        try check(snd_pcm_hw_params_any(pointer, parameters), "read parameters")
        // Only the plug layer supports this; elsewhere it has no effect.
        snd_pcm_hw_params_set_rate_resample(pointer, parameters, isRateConverted ? 1 : 0)
        guard snd_pcm_hw_params_set_access(pointer, parameters, SND_PCM_ACCESS_RW_INTERLEAVED) >= 0 else {
            throw unsupported("it takes no interleaved samples")
        }
        let format = try chooseFormat(request.formats, parameters)
        let channelCount = try chooseChannelCount(request, parameters)

        var rate = request.rate
        try check(snd_pcm_hw_params_set_rate_near(pointer, parameters, &rate, nil), "set the rate")
        if request.isRateFixed, rate != request.rate {
            throw unsupported("it runs at \(rate) Hz, not at \(request.rate)")
        }
        // The buffer comes first: its length matters most, and a device may allow only few periods.
        var bufferTime = bufferTime(request, parameters)
        try check(snd_pcm_hw_params_set_buffer_time_near(pointer, parameters, &bufferTime, nil), "set the buffer")
        var periodTime = request.periodMicroseconds
        try check(snd_pcm_hw_params_set_period_time_near(pointer, parameters, &periodTime, nil), "set the period")
        try check(snd_pcm_hw_params(pointer, parameters), "set parameters")

        return try read(parameters, request, format: format, channelCount: channelCount, nominalRate: Double(rate))
    }

    /// - Returns: the length to ask for, in microseconds.
    private func bufferTime(_ request: PCMRequest, _ parameters: OpaquePointer) -> UInt32 {
        var periodCount: UInt32 = 0
        guard snd_pcm_hw_params_get_periods_max(parameters, &periodCount, nil) >= 0,
            periodCount >= request.longBufferMicroseconds / PCMRequest.longestPeriodMicroseconds
        else { return request.bufferMicroseconds }
        return max(request.bufferMicroseconds, request.longBufferMicroseconds)
    }

    private func chooseFormat(
        _ formats: [PCMSampleFormat], _ parameters: OpaquePointer
    ) throws(OutputDeviceError) -> PCMSampleFormat {
        for format in formats
        where snd_pcm_hw_params_test_format(pointer, parameters, format.code) == 0 {
            try check(snd_pcm_hw_params_set_format(pointer, parameters, format.code), "set the format")
            return format
        }
        throw unsupported("it takes none of float, 32, 24 and 16-bit samples")
    }

    private func chooseChannelCount(
        _ request: PCMRequest, _ parameters: OpaquePointer
    ) throws(OutputDeviceError) -> Int {
        var count = request.channelCount
        try check(snd_pcm_hw_params_set_channels_near(pointer, parameters, &count), "set the channels")
        guard PCMRequest.channelRange.contains(count), !request.isChannelCountFixed || count == request.channelCount
        else {
            throw unsupported(count == 1 ? "it has one channel" : "it has \(count) channels")
        }
        return Int(count)
    }

    private func read(
        _ parameters: OpaquePointer, _ request: PCMRequest, format: PCMSampleFormat, channelCount: Int,
        nominalRate: Double
    ) throws(OutputDeviceError) -> PCMConfiguration {
        var period: snd_pcm_uframes_t = 0
        var buffer: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_period_size(parameters, &period, nil), "read the period")
        try check(snd_pcm_hw_params_get_buffer_size(parameters, &buffer), "read the buffer")
        var numerator: UInt32 = 0
        var denominator: UInt32 = 0
        let hasExactRate = snd_pcm_hw_params_get_rate_numden(parameters, &numerator, &denominator) >= 0
        let exact = hasExactRate && denominator > 0 ? Double(numerator) / Double(denominator) : nominalRate
        let rate = abs(exact / nominalRate - 1) < 0.001 ? exact : nominalRate

        let isSane = rate >= Double(PCMRequest.rateRange.lowerBound) && rate <= Double(PCMRequest.rateRange.upperBound)
        guard isSane, period > 0, buffer >= period,
            buffer <= PCMRequest.largestBufferFrameCount
        else { throw unsupported("its rate or buffer size makes no sense") }
        func frames(_ microseconds: UInt32) -> Int { Int(Double(microseconds) * 1e-6 * rate) }
        return PCMConfiguration(
            format: format, rate: rate, channelCount: channelCount, periodFrameCount: Int(period),
            bufferFrameCount: Int(buffer),
            paces: PCMPaces(
                buffer: Int(buffer), period: Int(period), filled: frames(request.filledMicroseconds),
                wake: frames(request.wakeMicroseconds), seldomWake: frames(request.seldomWakeMicroseconds)),
            timestampClock: .none
        )
    }

    /// Sets a manual start, `avail_min`, a stop when it runs dry, and stamps on the raw monotonic clock if possible.
    private func setSoftwareParameters(
        _ configuration: PCMConfiguration
    ) throws(OutputDeviceError) -> TimestampClock {
        var allocated: OpaquePointer?
        try check(snd_pcm_sw_params_malloc(&allocated), "allocate parameters")
        guard let parameters = allocated else { throw unsupported("no memory for its parameters") }
        defer { snd_pcm_sw_params_free(parameters) }

        try check(snd_pcm_sw_params_current(pointer, parameters), "read parameters")
        var boundary: snd_pcm_uframes_t = 0
        try check(snd_pcm_sw_params_get_boundary(parameters, &boundary), "read parameters")
        try check(snd_pcm_sw_params_set_start_threshold(pointer, parameters, boundary), "set the start")
        try check(
            snd_pcm_sw_params_set_stop_threshold(
                pointer, parameters, snd_pcm_uframes_t(configuration.bufferFrameCount)), "set the stop")
        let wakeAt = snd_pcm_uframes_t(configuration.paces[.frequent].wakeAt)
        try check(snd_pcm_sw_params_set_avail_min(pointer, parameters, wakeAt), "set the period")
        // Refused by devices without timestamps; we stamp their readings.
        snd_pcm_sw_params_set_tstamp_mode(pointer, parameters, SND_PCM_TSTAMP_ENABLE)
        return try applyTimestampClock(parameters)
    }

    private func applyTimestampClock(_ parameters: OpaquePointer) throws(OutputDeviceError) -> TimestampClock {
        let candidates = [
            (SND_PCM_TSTAMP_TYPE_MONOTONIC_RAW, TimestampClock.monotonicRaw),
            (SND_PCM_TSTAMP_TYPE_MONOTONIC, TimestampClock.monotonic),
        ]
        for (type, clock) in candidates
        where snd_pcm_sw_params_set_tstamp_type(pointer, parameters, type) >= 0
            && snd_pcm_sw_params(pointer, parameters) >= 0
        {
            return clock
        }
        // A refused type must not be requested again.
        snd_pcm_sw_params_set_tstamp_type(pointer, parameters, SND_PCM_TSTAMP_TYPE_GETTIMEOFDAY)
        try check(snd_pcm_sw_params(pointer, parameters), "set parameters")
        return .none
    }

    @discardableResult
    private func check(_ code: Int32, _ operation: String) throws(OutputDeviceError) -> Int32 {
        try ALSACall.check(code, operation, device: name)
    }

    private func unsupported(_ reason: String) -> OutputDeviceError {
        .unsupportedConfiguration(device: name, reason: reason)
    }
}
