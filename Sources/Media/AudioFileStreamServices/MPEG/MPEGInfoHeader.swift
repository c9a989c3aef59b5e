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
    }
}

extension Int64 {
    fileprivate var nonZero: Int64? { self == 0 ? nil : self }
}
