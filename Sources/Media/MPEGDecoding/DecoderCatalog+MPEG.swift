import AudioDecoding

extension DecoderCatalog {
    /// Adds MPEG-1, 2 and 2.5 audio of layers I to III, decoded by libmpg123.
    public mutating func registerMPEG() {
        for codec in MPEGDecoder.codecs {
            register(codec) { (format, _) throws(AudioDecodingError) in try MPEGDecoder(format: format) }
        }
    }
}
