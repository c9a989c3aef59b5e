import AudioCore

/// AAC's program_config_element (ISO/IEC 14496-3 section 4.4.1.1, table 4.2): defines the channels if the header's
/// channel configuration does not.
enum ProgramConfigElement {
    /// id_syn_ele of this element (table 4.71).
    private static let identifier = 5

    /// Copies the element at the start of a raw data block, without its comment.
    /// - Returns: the number of channels.
    static func copy(from block: [UInt8], to config: inout BitWriter) throws(AudioStreamError) -> Int {
        var reader = BitReader(block)
        guard reader.read(3) == identifier else {
            throw .unsupportedDataFormat("AAC ADTS that does not say its channels")
        }
        func copy(_ count: Int) -> Int {
            let value = reader.read(count)
            config.write(value, count)
            return value
        }
        // Instance tag, object type, rate.
        _ = copy(4 + 2 + 4)
        let front = copy(4)
        let side = copy(4)
        let back = copy(4)
        let lfe = copy(2)
        let data = copy(3)
        let coupling = copy(4)
        // Mono mixdown, stereo mixdown, matrix mixdown.
        if copy(1) == 1 { _ = copy(4) }
        if copy(1) == 1 { _ = copy(4) }
        if copy(1) == 1 { _ = copy(3) }
        var channelCount = lfe
        for _ in 0..<front + side + back {
            channelCount += 1 + copy(1)
            _ = copy(4)
        }
        for _ in 0..<lfe + data { _ = copy(4) }
        for _ in 0..<coupling { _ = copy(5) }
        config.align()
        // No comment.
        config.write(0, 8)
        guard !reader.isOverrun, channelCount > 0 else {
            throw .unsupportedDataFormat("AAC ADTS that does not say its channels")
        }
        guard Limits.channelRange.contains(channelCount) else {
            throw .unsupportedDataFormat("AAC of \(channelCount) channels")
        }
        return channelCount
    }
}
