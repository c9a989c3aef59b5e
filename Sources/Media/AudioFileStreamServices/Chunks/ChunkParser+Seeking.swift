import AudioCore

// Constant packets are located by arithmetic, those of a table by the table; both are exact.

extension ChunkParser {
    /// Assumes that a whole packet follows the gap: such audio has no sync words. With a packet table it would be
    /// unknown which packet that is.
    mutating func skipGap() throws(AudioStreamError) {
        guard state == .audio, let packets = audio?.track.packets else { throw .discontinuityCannotRecover }
        switch packets {
        case .constant: break
        case .table: throw .discontinuityCannotRecover
        case .elementary(let shared): try shared.parser.skipGap()
        }
        audio?.hasGap = true
        audio?.end = nil
    }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        guard let audio, packet >= 0 else { throw .invalidPacketOffset }
        if case .elementary(let shared) = audio.track.packets { return try shared.parser.locate(packet: packet) }
        guard !audio.hasGap else { throw .valueUnknown }
        if let announced = audio.announced, packet >= announced.packetCount { throw .invalidPacketOffset }
        let cursor = try cursor(ofPacket: packet, audio)
        return AudioFileStreamSeek(packet: packet, byteOffset: audio.start + cursor.length.byteCount)
    }

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) {
        guard let audio else { throw .illegalOperation }
        if case .elementary(let shared) = audio.track.packets {
            try shared.parser.resume(at: place)
        } else {
            let cursor = try cursor(ofPacket: place.packet, audio)
            self.audio?.cursor = cursor
        }
        state = .audio
    }

    private func cursor(ofPacket packet: Int64, _ audio: ChunkAudio) throws(AudioStreamError) -> PacketCursor {
        if case .table(let table) = audio.track.packets { return table.cursor { $0.packetCount > packet } }
        let packets = ConstantPackets(audio.track.format)
        let (byteCount, overflowsBytes) = packet.multipliedReportingOverflow(by: Int64(packets.bytesPerPacket))
        let (frameCount, overflowsFrames) = packet.multipliedReportingOverflow(by: Int64(packets.framesPerPacket))
        guard !overflowsBytes, !overflowsFrames, byteCount < .max - audio.start else { throw .invalidPacketOffset }
        return PacketCursor(length: StreamLength(byteCount: byteCount, packetCount: packet, frameCount: frameCount))
    }

    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        guard let audio else { throw .illegalOperation }
        switch audio.track.packets {
        case .elementary(let shared): return try shared.parser.packet(containingFrame: frame, summary)
        case .table(let table):
            guard frame < table.length.frameCount else { throw .invalidPacketOffset }
            let length = table.cursor { $0.frameCount > frame }.length
            return (length.packetCount, Int(frame - length.frameCount))
        case .constant:
            if let announced = audio.announced, frame >= announced.frameCount { throw .invalidPacketOffset }
            let framesPerPacket = Int64(ConstantPackets(audio.track.format).framesPerPacket)
            let (packet, offset) = frame.quotientAndRemainder(dividingBy: framesPerPacket)
            return (packet, Int(offset))
        }
    }

    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64 {
        guard let audio else { throw .illegalOperation }
        if case .elementary(let shared) = audio.track.packets {
            return try shared.parser.firstFrame(ofPacket: packet, summary)
        }
        if let announced = audio.announced, packet >= announced.packetCount { throw .invalidPacketOffset }
        return try cursor(ofPacket: packet, audio).length.frameCount
    }

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        guard let audio else { throw .illegalOperation }
        if case .elementary(let shared) = audio.track.packets {
            return try shared.parser.packet(atByteOffset: offset, summary)
        }
        let place = offset - audio.start
        guard place >= 0, audio.announced.map({ place < $0.byteCount }) ?? true else { throw .invalidPacketOffset }
        if case .table(let table) = audio.track.packets {
            return (table.cursor { $0.byteCount > place }.length.packetCount, false)
        }
        return (place / Int64(ConstantPackets(audio.track.format).bytesPerPacket), false)
    }
}
