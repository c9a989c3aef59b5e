import AudioCore

// The first MPEG frame of a file may hold metadata instead of sound: a Xing header ("Xing" for variable, "Info" for
// constant bit rate), which LAME extends with the encoder's delay and padding, or Fraunhofer's ("VBRI"). Such a frame
// is not a packet. The formats are their makers' own: Xing's vbrheader, the "mp3 info tag" of LAME (revision 1).

/// The contents of such a header frame.
struct MPEGInfoHeader: Equatable {
    enum Kind { case xing, info, vbri }

    var kind: Kind
    /// MPEG frames that follow, not counting this one.
    var packetCount: Int64?
    /// Bytes from the start of this frame on.
    var byteCount: Int64?
    var seekTable: MPEGSeekTable?
    /// Frames (samples) of encoder delay, from LAME's extension; the decoder adds its own 529.
    var encoderDelay: Int?
    /// Frames that the encoder appended.
    var encoderPadding: Int?
    /// ReplayGain as LAME measured it, in decibels.
    var trackGain: Double?
    var albumGain: Double?
    /// LAME's peak; 1 is full scale.
    var peak: Double?

    /// - Parameter offset: where the MPEG frame begins; the caller has checked that all of it is present.
    init?(_ bytes: RawSpan, at offset: Int, header: MPEGFrameHeader, packetByteCount: Int) {
        guard header.layer == 3 else { return nil }
        let end = offset + packetByteCount
        let frame = bytes.extracting(offset..<end)
        // After the side information. LAME leaves a CRC out of the count; others include it.
        let place = MPEGFrameHeader.byteCount + header.sideInfoByteCount
        let places = header.hasCRC ? [place, place + MPEGFrameHeader.crcByteCount] : [place]
        for place in places {
            guard let kind: Kind = frame.has("Xing", at: place) ? .xing : frame.has("Info", at: place) ? .info : nil
            else { continue }
            self.init(kind: kind)
            parseXing(frame, at: place + 4)
            return
        }
        // Always 32 bytes after the header.
        guard frame.has("VBRI", at: 36), frame.byteCount >= 36 + 18 else { return nil }
        self.init(kind: .vbri)
        byteCount = Int64(frame.bigEndian32(at: 36 + 10))
        packetCount = Int64(frame.bigEndian32(at: 36 + 14)).nonZero
        seekTable = MPEGSeekTable(fraunhofer: frame, at: 36 + 18)
    }

    private init(kind: Kind) { self.kind = kind }

    /// Parses the flags, then the fields they announce: 1 packet count, 2 byte count, 4 seek table, 8 quality.
    private mutating func parseXing(_ frame: RawSpan, at start: Int) {
        var place = start
        func has(_ byteCount: Int) -> Bool { byteCount <= frame.byteCount - place }
        guard has(4) else { return }
        let flags = frame.bigEndian32(at: place)
        place += 4
        if flags & 1 != 0, has(4) {
            packetCount = Int64(frame.bigEndian32(at: place)).nonZero
            place += 4
        }
        if flags & 2 != 0, has(4) {
            byteCount = Int64(frame.bigEndian32(at: place)).nonZero
            place += 4
        }
        if flags & 4 != 0 {
            if has(100) { seekTable = .xing(frame.copy(place..<place + 100)) }
            place += 100
        }
        if flags & 8 != 0 { place += 4 }
        // The encoder's name, or zeros; delay and padding, 12 bits each, are at offset 21.
        guard has(24), frame[place] != 0 else { return }
        encoderDelay = Int(frame[place + 21]) << 4 | Int(frame[place + 22]) >> 4
        encoderPadding = Int(frame[place + 22] & 15) << 8 | Int(frame[place + 23])
        if frame.has("LAME", at: place) { parseLoudness(frame, at: place) }
    }

    /// Parses peak and gains: a fixed-point number with 23 binary places; and each gain with its name (1 radio, 2
    /// audiophile; 3 bits), its originator (3 bits), its sign and tenths of decibels (9 bits). Zeros are unknown.
    private mutating func parseLoudness(_ frame: RawSpan, at place: Int) {
        let fixedPoint = frame.bigEndian32(at: place + 11)
        if fixedPoint != 0 { peak = Double(fixedPoint) * 0x1p-23 }
        for field in [frame.bigEndian16(at: place + 15), frame.bigEndian16(at: place + 17)] {
            let gain = Double(field & 0x1FF) / (field & 0x200 == 0 ? 10 : -10)
            switch field >> 13 {
            case 1: trackGain = gain
            case 2: albumGain = gain
            default: break
            }
        }
    }

    /// What a tag would say of the loudness.
    var loudness: [(AudioInfoKey, String)] {
        var fields: [(AudioInfoKey, String)] = []
        if let trackGain { fields.append((.trackGain, "\(trackGain) dB")) }
        if let albumGain { fields.append((.albumGain, "\(albumGain) dB")) }
        if let peak { fields.append((.trackPeak, "\(peak)")) }
        return fields
    }
}

extension Int64 {
    fileprivate var nonZero: Int64? { self == 0 ? nil : self }
}
