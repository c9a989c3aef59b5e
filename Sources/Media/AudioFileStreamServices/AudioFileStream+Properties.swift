import AudioCore

// The C interface returns a property as a number of bytes; here the caller must know its type. A wrong type is the same
// mistake as a buffer of the wrong size, and gives the same error.

extension AudioFileStream {
    /// Returns the value of a property.
    /// - Parameters:
    ///   - id: the property's identifier.
    ///   - type: its type, as `AudioStreamPropertyID` documents it.
    /// - Throws: `unsupportedProperty` if no property has this identifier; `badPropertySize` if the property is of
    ///   another type (always for a translation; see ``translate(_:_:)``); `valueUnknown` if the value is not known, or
    ///   not yet; `illegalOperation` after ``close()``.
    public func value<Value>(
        of id: AudioStreamPropertyID, as type: Value.Type = Value.self
    ) throws(AudioStreamError) -> Value {
        guard !isClosed else { throw .illegalOperation }
        guard let valueType = Self.valueTypes[id] else {
            throw Self.translations.contains(id) ? .badPropertySize : .unsupportedProperty
        }
        guard valueType == type else { throw .badPropertySize }
        guard let value = knownValue(of: id) else { throw .valueUnknown }
        guard let value = value as? Value else { throw .badPropertySize }
        return value
    }

    /// Whether ``value(of:as:)`` would return a value now.
    public func isKnown(_ id: AudioStreamPropertyID) -> Bool { !isClosed && knownValue(of: id) != nil }

    /// Translates packets to frames, bytes or roll distances, and back.
    /// - Parameters:
    ///   - id: `packetToFrame`, `frameToPacket`, `packetToByte`, `byteToPacket` or `packetToRollDistance`.
    ///   - translation: of the type that belongs to the identifier, with the known side filled in.
    /// - Throws: `unsupportedProperty` if no property has this identifier; `badPropertySize` if the translation has the
    ///   wrong type; `invalidPacketOffset` if there is no such packet, frame or byte; `valueUnknown` if it is not
    ///   known; `illegalOperation` before the stream is ready or after ``close()``.
    public func translate<Translation: AudioStreamTranslation>(
        _ id: AudioStreamPropertyID, _ translation: Translation
    ) throws(AudioStreamError) -> Translation {
        guard !isClosed else { throw .illegalOperation }
        guard Self.valueTypes[id] != nil || Self.translations.contains(id) else { throw .unsupportedProperty }
        var result = translation
        try result.resolve(id, in: self)
        return result
    }

    private static let translations: Set<AudioStreamPropertyID> = [
        .packetToFrame, .frameToPacket, .packetToByte, .byteToPacket, .packetToRollDistance,
    ]

    private static let valueTypes: [AudioStreamPropertyID: Any.Type] = [
        .readyToProducePackets: Bool.self, .fileFormat: AudioFileType.self, .dataFormat: AudioStreamFormat.self,
        .formatList: [AudioStreamFormat].self, .magicCookieData: [UInt8].self, .audioDataByteCount: Int64.self,
        .audioDataPacketCount: Int64.self, .maximumPacketSize: Int.self, .dataOffset: Int64.self,
        .channelLayout: AudioChannelLayout.self, .packetTableInfo: AudioPacketTableInfo.self,
        .packetSizeUpperBound: Int.self, .averageBytesPerPacket: Double.self, .bitRate: Int.self,
        .infoDictionary: [AudioInfoKey: String].self, .estimatedDuration: TimeSpan.self,
        .restrictsRandomAccess: Bool.self,
    ]

    private func knownValue(of id: AudioStreamPropertyID) -> Any? {
        let summary = summary
        switch id {
        case .readyToProducePackets: return summary.isReady
        case .fileFormat: return summary.fileType
        case .dataFormat: return summary.format
        case .formatList: return summary.formatList.isEmpty ? summary.format.map { [$0] } : summary.formatList
        case .magicCookieData: return summary.magicCookie.isEmpty ? nil : summary.magicCookie
        case .audioDataByteCount: return summary.dataByteCount
        case .audioDataPacketCount: return summary.packetCount
        case .maximumPacketSize: return maximumPacketSize
        case .dataOffset: return summary.dataOffset
        case .channelLayout: return summary.channelLayout
        case .packetTableInfo: return summary.packetTable
        case .packetSizeUpperBound: return summary.packetSizeUpperBound
        case .averageBytesPerPacket: return summary.averageBytesPerPacket
        case .bitRate: return summary.bitRate
        case .infoDictionary: return summary.info.isEmpty ? nil : summary.info
        case .estimatedDuration: return summary.estimatedDuration
        case .restrictsRandomAccess: return summary.isReady ? summary.decoderPrerollPacketCount > 0 : nil
        default: return nil
        }
    }

    /// Known only after all packets were parsed, if their sizes vary.
    private var maximumPacketSize: Int? {
        if let size = summary.format?.bytesPerPacket, size > 0 { return size }
        return hasSeenAll ? largestPacketByteCount : nil
    }
}
