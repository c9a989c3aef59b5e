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
        } catch {
            mpg123_delete(new)
            throw error
        }
        handle = new
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
        var audio: UnsafeMutablePointer<UInt8>?
        var byteCount = 0
        var number: off_t = 0
        var code = mpg123_decode_frame(handle, &number, &audio, &byteCount)
        // Reported with the first frame; the caller has checked the format by the header.
        if code == MPG123_NEW_FORMAT.rawValue {
            code = mpg123_decode_frame(handle, &number, &audio, &byteCount)
        }
        guard code == MPG123_OK.rawValue, let audio, bufferedByteCount == 0 else { return body(nil) }
        let count = byteCount / MemoryLayout<Float>.stride
        return audio.withMemoryRebound(to: Float.self, capacity: count) {
            body(UnsafeBufferPointer(start: $0, count: count))
        }
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
