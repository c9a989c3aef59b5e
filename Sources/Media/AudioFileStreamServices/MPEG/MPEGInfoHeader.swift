import AudioCore

// The first MPEG frame of a file may hold no sound but facts about the file: Xing's header ("Xing" for variable, "Info"
// for constant bit rate), which LAME extends with the encoder's delay and padding, or Fraunhofer's ("VBRI"). Such a
// frame is not a packet. The formats are their makers' own: Xing's vbrheader, the "mp3 info tag" of LAME (revision 1).

/// What such a header frame says.
struct MPEGInfoHeader: Equatable {
    enum Kind { case xing, info, vbri }

    var kind: Kind
    /// MPEG frames that follow, this one not counted.
    var packetCount: Int64?
    /// Bytes from this frame on, itself included.
    var byteCount: Int64?
    var seekTable: MPEGSeekTable?
    /// Frames (samples) that the encoder put in front, from LAME's extension; the decoder adds its own 529.
    var encoderDelay: Int?
    /// Frames that the encoder added behind.
    var encoderPadding: Int?

    /// - Parameter offset: where the MPEG frame begins; the caller has checked that it is whole.
    init?(_ bytes: RawSpan, at offset: Int, header: MPEGFrameHeader, packetByteCount: Int) {
        guard header.layer == 3 else { return nil }
        let end = offset + packetByteCount
        let frame = bytes.extracting(offset..<end)
        // Behind the side information. LAME does not count a CRC in; others do.
        let place = MPEGFrameHeader.byteCount + header.sideInfoByteCount
        let places = header.hasCRC ? [place, place + MPEGFrameHeader.crcByteCount] : [place]
        for place in places {
            guard let kind: Kind = frame.has("Xing", at: place) ? .xing : frame.has("Info", at: place) ? .info : nil
            else { continue }
            self.init(kind: kind)
            parseXing(frame, at: place + 4)
            return
        }
        // Always 32 bytes behind the header.
        guard frame.has("VBRI", at: 36), frame.byteCount >= 36 + 18 else { return nil }
        self.init(kind: .vbri)
        byteCount = Int64(frame.bigEndian32(at: 36 + 10))
        packetCount = Int64(frame.bigEndian32(at: 36 + 14)).nonZero
        seekTable = MPEGSeekTable(fraunhofer: frame, at: 36 + 18)
    }

    private init(kind: Kind) { self.kind = kind }

    /// Flags, then the fields that they announce: 1 packet count, 2 byte count, 4 seek table, 8 quality.
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
            if has(100) { seekTable = .hundredths(frame.copy(place..<place + 100)) }
            place += 100
        }
        if flags & 8 != 0 { place += 4 }
        // The encoder's name is there or zeros; delay and padding, 12 bits each, are 21 bytes behind its first.
        guard has(24), frame[place] != 0 else { return }
        encoderDelay = Int(frame[place + 21]) << 4 | Int(frame[place + 22]) >> 4
        encoderPadding = Int(frame[place + 22] & 15) << 8 | Int(frame[place + 23])
    }
}

extension Int64 {
    fileprivate var nonZero: Int64? { self == 0 ? nil : self }
}
