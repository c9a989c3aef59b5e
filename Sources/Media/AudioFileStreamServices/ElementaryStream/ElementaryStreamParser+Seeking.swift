import AudioCore

extension ElementaryStreamParser {
    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        guard let facts, let reference = sync.reference else { throw .valueUnknown }
        return try seekIndex.locate(packet: packet, framesPerPacket: reference.framesPerPacket, facts.seekHints)
    }

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) {
        try skipGap()
        land(at: place)
    }

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        guard let facts, let reference = sync.reference else { throw .valueUnknown }
        return try seekIndex.packet(atByteOffset: offset, framesPerPacket: reference.framesPerPacket, facts.seekHints)
    }
}
