import AudioCore

extension AudioFileType {
    /// One word in lower case, like the usual file name extension.
    public var shortName: String {
        switch self {
        case .mpegLayer1: "mp1"
        case .mpegLayer2: "mp2"
        case .mpegLayer3: "mp3"
        case .wave: "wav"
        case .aiff: "aiff"
        case .aifc: "aifc"
        case .caf: "caf"
        case .nextSun: "au"
        case .flac: "flac"
        case .ogg: "ogg"
        case .adts: "adts"
        case .mpeg4: "mp4"
        case .ac3: "ac3"
        case .amr: "amr"
        case .tutti: "tutti"
        }
    }
}

extension AudioStreamFormat {
    /// The codec's name in ffprobe: "mp3", "pcm_s16le", "aac".
    public var codecShortName: String {
        switch codec {
        case .linearPCM: pcmShortName
        case .mpegLayer1: "mp1"
        case .mpegLayer2: "mp2"
        case .mpegLayer3: "mp3"
        case .muLaw: "pcm_mulaw"
        case .aLaw: "pcm_alaw"
        case .ima4: "adpcm_ima_qt"
        case .waveIMA: "adpcm_ima_wav"
        case .aac, .aacHE, .aacHEv2: "aac"
        case .alac: "alac"
        case .ac3: "ac3"
        case .flac: "flac"
        case .opus: "opus"
        case .vorbis: "vorbis"
        case .amrNarrowband: "amr_nb"
        case .amrWideband: "amr_wb"
        default: codec.description
        }
    }

    /// The codec's profile, if it has several: "HE-AAC".
    public var codecProfile: String? {
        switch codec {
        case .aac: "LC"
        case .aacHE: "HE-AAC"
        case .aacHEv2: "HE-AACv2"
        default: nil
        }
    }

    private var pcmShortName: String {
        let byteCount = channelsPerFrame > 0 ? bytesPerFrame / channelsPerFrame : 0
        let type = pcm.contains(.float) ? "f" : pcm.contains(.signedInteger) ? "s" : "u"
        return "pcm_\(type)\(byteCount * 8)" + (byteCount > 1 ? pcm.contains(.bigEndian) ? "be" : "le" : "")
    }
}
