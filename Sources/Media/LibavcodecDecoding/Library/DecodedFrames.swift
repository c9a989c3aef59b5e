import AudioCore

/// The frames of one packet, interleaved, in WAVE's channel order (the library's own), and their actual format. Samples
/// are `Float`, or `Int32` if requested.
public struct DecodedFrames {
    /// Space before the samples, for a message header.
    public let headerByteCount: Int
    /// The header space, then the samples.
    public private(set) var bytes: [UInt8] = []
    public private(set) var sampleRate = 0
    public private(set) var channelCount = 0
    public private(set) var frameCount = 0

    public init(headerByteCount: Int) { self.headerByteCount = headerByteCount }

    public mutating func removeAll() {
        (sampleRate, channelCount, frameCount) = (0, 0, 0)
        let size = headerByteCount + 8 * 1024
        if bytes.count < size { bytes.append(contentsOf: repeatElement(0, count: size - bytes.count)) }
    }

    /// Passes the header space and the samples.
    public mutating func withMessage<R>(_ body: (UnsafeMutableRawBufferPointer) -> R) -> R {
        let count = headerByteCount + frameCount * channelCount * MemoryLayout<Float>.stride
        return bytes.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Appends the contents of an `AVFrame`.
    /// - Returns: false if the frame is inconsistent, by itself or with previous frames, there are too many frames, or
    ///   the samples are not integers as requested.
    mutating func append(
        _ frame: UnsafeMutableRawPointer, sampleRate: Int, channelCount: Int, asIntegers: Bool
    ) -> Bool {
        let count = Int(frame.load(fromByteOffset: FieldOffset.frameSampleCount, as: Int32.self))
        let lineSize = Int(frame.load(fromByteOffset: FieldOffset.frameLineSize, as: Int32.self))
        let format = LibrarySampleFormat(
            rawValue: frame.load(fromByteOffset: FieldOffset.frameFormat, as: Int32.self))
        guard let format, (0...Limits.packetFrameCount).contains(count), Limits.channelRange.contains(channelCount),
            lineSize >= count * format.byteCount * (format.isPlanar ? 1 : channelCount),
            let planes = frame.load(
                fromByteOffset: FieldOffset.frameExtendedData, as: UnsafePointer<UnsafeRawPointer?>?.self)
        else { return false }
        for plane in 0..<(format.isPlanar ? channelCount : 1) where planes[plane] == nil { return false }
        return append(count, channelCount, sampleRate) { place in
            format.convert(
                planes, frameCount: count, channelCount: channelCount, toIntegers: asIntegers, into: place)
        }
    }

    /// Appends one channel of 16-bit samples.
    /// - Returns: as above.
    mutating func append(_ samples: [Int16], sampleRate: Int) -> Bool {
        append(samples.count, 1, sampleRate) { place in
            for (index, sample) in samples.enumerated() {
                place.storeBytes(
                    of: Float(sample) / 32_768, toByteOffset: index * MemoryLayout<Float>.stride, as: Float.self)
            }
            return true
        }
    }

    /// Appends a plane of integers for each channel, as `Int32` at full scale.
    /// - Returns: as above.
    mutating func append(
        _ planes: UnsafePointer<UnsafePointer<Int32>?>, frameCount count: Int, channelCount: Int, sampleRate: Int,
        bitsPerSample: Int
    ) -> Bool {
        guard (1...32).contains(bitsPerSample) else { return false }
        return append(count, channelCount, sampleRate) { place in
            for channel in 0..<channelCount {
                guard let plane = planes[channel] else { return false }
                for index in 0..<count {
                    place.storeBytes(
                        of: plane[index] << Int32(32 - bitsPerSample),
                        toByteOffset: (index * channelCount + channel) * MemoryLayout<Int32>.stride, as: Int32.self)
                }
            }
            return true
        }
    }

    /// Makes room after the present frames, and lets `fill` fill it.
    private mutating func append(
        _ count: Int, _ channelCount: Int, _ sampleRate: Int, _ fill: (UnsafeMutableRawPointer) -> Bool
    ) -> Bool {
        let isSame = frameCount == 0 || (sampleRate == self.sampleRate && channelCount == self.channelCount)
        guard isSame, count > 0, Limits.channelRange.contains(channelCount), sampleRate > 0,
            frameCount + count <= Limits.packetFrameCount
        else { return false }
        let start = headerByteCount + frameCount * channelCount * MemoryLayout<Float>.stride
        let end = start + count * channelCount * MemoryLayout<Float>.stride
        if bytes.count < end { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
        guard bytes.withUnsafeMutableBytes({ fill($0.baseAddress! + start) }) else { return false }
        (self.sampleRate, self.channelCount) = (sampleRate, channelCount)
        frameCount += count
        return true
    }
}
