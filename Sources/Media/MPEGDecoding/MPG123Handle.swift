import AudioDecoding
import CMPG123

/// The only access to libmpg123: a decoder that takes MPEG frames and outputs frames of interleaved `Float`.
///
/// Configured to add nothing: no gapless trimming, no resampling, no read-ahead (a frame is decoded as soon as it is
/// fed), no parsing of info headers and tags, no printing. It outputs mono as two equal channels, so that streams may
/// change between mono and stereo. Not thread-safe.
struct MPG123Handle: ~Copyable {
    /// Channels of all output.
    static let channelCount = 2

    private let handle: OpaquePointer

    /// - Parameter freeFormatByteCount: the unpadded frame size of a free-format stream, else nil.
    init(sampleRate: Int, freeFormatByteCount: Int?) throws(AudioDecodingError) {
        // A no-op since 1.27, required before.
        mpg123_init()
        var code: Int32 = 0
        guard let new = mpg123_new(nil, &code) else {
            throw .libraryFailed(operation: "mpg123_new", code: code, text: Self.text(of: code))
        }
        do throws(AudioDecodingError) {
            try Self.configure(new, sampleRate: sampleRate, freeFormatByteCount: freeFormatByteCount)
            try Self.defineScratch(of: new, sampleRate: sampleRate)
        } catch {
            mpg123_delete(new)
            throw error
        }
        handle = new
    }

    /// Decodes a packet of silence. The library leaves a line of a short block as it was if a layer III packet's
    /// numbers end too soon; before the first packet, that is whatever the memory held.
    private static func defineScratch(of handle: OpaquePointer, sampleRate: Int) throws(AudioDecodingError) {
        let packet = silence(sampleRate: sampleRate)
        try check(mpg123_feed(handle, packet, packet.count), "mpg123_feed")
        try check(decodeFrame(handle).code, "mpg123_decode_frame")
        try check(mpg123_open_feed(handle), "mpg123_open_feed")
    }

    /// Returns a layer III packet of two channels without main data: 128 or 64 kbit/s (11172-3 section 2.4.2.3, 13818-3
    /// section 2.4.2.3, and version 2.5).
    private static func silence(sampleRate: Int) -> [UInt8] {
        let halvings = sampleRate > 24_000 ? 0 : sampleRate > 12_000 ? 1 : 2
        let version: UInt8 = halvings == 0 ? 3 : halvings == 1 ? 2 : 0
        let rateIndex: UInt8 = [44_100: 0, 48_000: 1][sampleRate << halvings] ?? 2
        let (bitRateIndex, bitRate, slotCount): (UInt8, Int, Int) =
            halvings == 0 ? (9, 128_000, 144) : (8, 64_000, 72)
        var packet = [UInt8](repeating: 0, count: slotCount * bitRate / sampleRate)
        packet[0] = 0xFF
        packet[1] = 0xE3 | version << 3
        packet[2] = bitRateIndex << 4 | rateIndex << 2
        return packet
    }

    private static func configure(
        _ handle: OpaquePointer, sampleRate: Int, freeFormatByteCount: Int?
    ) throws(AudioDecodingError) {
        func set(_ parameter: mpg123_parms, _ value: Int, _ name: String) throws(AudioDecodingError) {
            try check(mpg123_param(handle, parameter, value, 0), "mpg123_param (\(name))")
        }
        let flags =
            MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_FORCE_STEREO.rawValue
            | MPG123_NO_READAHEAD.rawValue | MPG123_IGNORE_INFOFRAME.rawValue | MPG123_SKIP_ID3V2.rawValue
            | MPG123_IGNORE_STREAMLENGTH.rawValue
        try set(MPG123_FLAGS, Int(flags), "flags")
        try set(MPG123_RVA, Int(MPG123_RVA_OFF.rawValue), "volume adjustment")
        try set(MPG123_INDEX_SIZE, 0, "frame index")
        // The library does not count a frame's header.
        if let freeFormatByteCount { try set(MPG123_FREEFORMAT_SIZE, freeFormatByteCount - 4, "free-format size") }
        try check(mpg123_format_none(handle), "mpg123_format_none")
        let channels = Int32(MPG123_STEREO.rawValue)
        try check(
            mpg123_format(handle, sampleRate, channels, Int32(MPG123_ENC_FLOAT_32.rawValue)), "mpg123_format")
        try check(mpg123_open_feed(handle), "mpg123_open_feed")
    }

    deinit { mpg123_delete(handle) }

    /// Discards all that was fed: the next frame is the first of a stream.
    func reopen() throws(AudioDecodingError) {
        try Self.check(mpg123_open_feed(handle), "mpg123_open_feed")
    }

    /// Feeds one MPEG frame and passes its samples, valid during `body`; nil if the library decoded it to anything but
    /// exactly one frame. It must then be reopened.
    func decode<R>(
        _ frame: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<Float>?) -> R
    ) throws(AudioDecodingError) -> R {
        try Self.check(mpg123_feed(handle, frame.baseAddress, frame.count), "mpg123_feed")
        let (code, audio, byteCount) = Self.decodeFrame(handle)
        guard code == MPG123_OK.rawValue, let audio, bufferedByteCount == 0 else { return body(nil) }
        let count = byteCount / MemoryLayout<Float>.stride
        return audio.withMemoryRebound(to: Float.self, capacity: count) {
            body(UnsafeBufferPointer(start: $0, count: count))
        }
    }

    /// Decodes what was fed last.
    /// - Returns: the library's code, and the samples.
    private static func decodeFrame(
        _ handle: OpaquePointer
    ) -> (code: Int32, audio: UnsafeMutablePointer<UInt8>?, byteCount: Int) {
        var audio: UnsafeMutablePointer<UInt8>?
        var byteCount = 0
        var number: off_t = 0
        var code = mpg123_decode_frame(handle, &number, &audio, &byteCount)
        // Reported with the first frame; the caller has checked the format by the header.
        if code == MPG123_NEW_FORMAT.rawValue {
            code = mpg123_decode_frame(handle, &number, &audio, &byteCount)
        }
        return (code, audio, byteCount)
    }

    /// Bytes fed but not consumed yet.
    private var bufferedByteCount: Int {
        var value = 0
        let code = mpg123_getstate(handle, MPG123_BUFFERFILL, &value, nil)
        return code == MPG123_OK.rawValue ? value : .max
    }

    private static func check(_ code: Int32, _ operation: String) throws(AudioDecodingError) {
        guard code != MPG123_OK.rawValue else { return }
        throw .libraryFailed(operation: operation, code: code, text: Self.text(of: code))
    }

    private static func text(of code: Int32) -> String { String(cString: mpg123_plain_strerror(code)) }
}
