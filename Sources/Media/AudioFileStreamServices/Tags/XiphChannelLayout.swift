import AudioCore

extension AudioChannelLayout {
    /// Creates the layout that FLAC (RFC 9639 section 9.1.3), Vorbis (I, section 4.3.9) and Opus (RFC 7845 section
    /// 5.1.1.2) share, in the order of WAVE's speaker mask. FLAC's channels have this order; our decoders output it for
    /// Vorbis and Opus, whose packets have another.
    /// - Parameter channels: 1 to 8.
    init(xiphChannels channels: Int) {
        switch channels {
        case 1: self.init([.mono])
        case 2: self.init(speakerMask: 0x3)
        case 3: self.init(speakerMask: 0x7)
        case 4: self.init(speakerMask: 0x33)
        case 5: self.init(speakerMask: 0x37)
        case 6: self.init(speakerMask: 0x3F)
        case 7: self.init(speakerMask: 0x70F)
        default: self.init(speakerMask: 0x63F)
        }
    }
}
