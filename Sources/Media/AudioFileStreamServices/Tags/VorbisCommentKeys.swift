import AudioCore

/// The meaning of Vorbis comment names. Names are ASCII and case-insensitive (Vorbis I section 5.2.1).
enum VorbisCommentKeys {
    /// Parses a field "NAME=value"; returns nil if the name is unknown.
    static func field(_ bytes: [UInt8]) -> (AudioInfoKey, String)? {
        guard let (name, value) = split(bytes) else { return nil }
        if let key = keys[name] {
            let text = TagText.guessed(value)
            return TagText.clean(key == .year ? String(text.prefix(4)) : text).map { (key, $0) }
        }
        return r128(name, TagText.latin1(value))
    }

    /// Returns the loudspeakers of a FLAC stream if they differ from the default of its channel count
    /// (RFC 9639 section 8.6.2).
    static func channelMask(_ bytes: [UInt8]) -> UInt32? {
        guard let (name, value) = split(bytes), name == "WAVEFORMATEXTENSIBLE_CHANNEL_MASK" else { return nil }
        let text = TagText.latin1(value)
        return text.hasPrefix("0x") || text.hasPrefix("0X") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    /// Whether two names are equal, ignoring case.
    static func areEqual(_ first: ArraySlice<UInt8>, _ second: [UInt8]) -> Bool {
        first.elementsEqual(second, by: isEqual)
    }

    static func isEqual(_ first: UInt8, _ second: UInt8) -> Bool { upper(first) == upper(second) }

    private static func upper(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte - 0x20 : byte }

    /// Splits a field into its name, in upper case, and its value; returns nil if it has no name.
    static func split(_ bytes: [UInt8]) -> (name: String, value: [UInt8])? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "=")), end > 0 else { return nil }
        return (TagText.latin1(bytes[..<end].map(upper)), Array(bytes[(end + 1)...]))
    }

    /// Converts Opus gains, in 1/256 dB towards -23 LUFS (RFC 7845 section 5.2.1), to ReplayGain's dB towards -18.
    private static func r128(_ name: String, _ value: String) -> (AudioInfoKey, String)? {
        let key: AudioInfoKey
        switch name {
        case "R128_TRACK_GAIN": key = .trackGain
        case "R128_ALBUM_GAIN": key = .albumGain
        default: return nil
        }
        guard let number = Int16(value) else { return nil }
        let hundredths = ((Double(number) / 256 + 5) * 100).rounded()
        let (whole, rest) = Int(abs(hundredths)).quotientAndRemainder(dividingBy: 100)
        return (key, "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest) dB")
    }

    private static let keys: [String: AudioInfoKey] = [
        "TITLE": .title, "ARTIST": .artist, "ALBUM": .album, "TRACKNUMBER": .track, "TRACK": .track, "DATE": .year,
        "YEAR": .year, "ALBUMARTIST": .albumArtist, "ALBUM ARTIST": .albumArtist, "COMPOSER": .composer,
        "GENRE": .genre, "DISCNUMBER": .disc, "DISC": .disc, "COMMENT": .comment, "DESCRIPTION": .comment,
        "REPLAYGAIN_TRACK_GAIN": .trackGain, "REPLAYGAIN_TRACK_PEAK": .trackPeak,
        "REPLAYGAIN_ALBUM_GAIN": .albumGain, "REPLAYGAIN_ALBUM_PEAK": .albumPeak,
        "TITLESORT": .titleSort, "ARTISTSORT": .artistSort, "ALBUMSORT": .albumSort,
        "ALBUMARTISTSORT": .albumArtistSort, "COMPILATION": .compilation,
    ]
}
