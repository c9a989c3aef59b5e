/// Gives MPEG-4 files of other programs another edit list.
public enum EditList {
    /// - Parameters:
    ///   - file: whose `moov` is behind the audio, or whose fragments count from themselves; its first track is the
    ///     song's.
    ///   - parts: in frames; one that does not end goes to the end.
    ///   - rate: frames a second, which must be the media's timescale.
    ///   - movieTimescale: in which the list's lengths will be told.
    public static func replaced(
        in file: [UInt8], by parts: [Range<Int64>], rate: Int64, movieTimescale: Int64
    ) -> [UInt8] {
        let list = parts.flatMap { part -> [UInt8] in
            let length = part.upperBound == .max ? 0 : Int64(part.count) * movieTimescale / rate
            return MPEG4Writer.numbers([UInt32(length), UInt32(part.lowerBound), 0x1_0000])
        }
        let edits = MPEG4Writer.box(
            "edts", MPEG4Writer.fullBox("elst", MPEG4Writer.numbers([UInt32(parts.count)]) + list))
        return rewritten(file) { type, body in
            switch type {
            case "moov":
                rewritten(body) { type, body in
                    switch type {
                    case "mvhd":
                        Array(body.prefix(12)) + MPEG4Writer.numbers([UInt32(movieTimescale)]) + body.dropFirst(16)
                    case "trak": edits + rewritten(body) { type, body in type == "edts" ? nil : body }
                    default: body
                    }
                }
            default: body
            }
        }
    }

    /// - Parameter change: gives a box's new body, nil to leave it out.
    private static func rewritten(_ boxes: [UInt8], change: (String, [UInt8]) -> [UInt8]?) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        while place + 8 <= boxes.count {
            let size = boxes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: boxes[place + 4..<place + 8], as: UTF8.self)
            guard size >= 8, place + size <= boxes.count else { return result + boxes[place...] }
            if let body = change(type, Array(boxes[place + 8..<place + size])) {
                result += MPEG4Writer.box(type, body)
            }
            place += size
        }
        return result
    }
}
