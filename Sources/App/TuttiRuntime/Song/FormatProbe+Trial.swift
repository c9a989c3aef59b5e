import AudioDecoding
import Songs
import LibavcodecDecoding

extension FormatProbe {
    /// Decodes the first packets, where there is a library that can; else the parser's word is taken.
    static let trial = FormatProbe { format, cookie, packets in
        do throws(AudioDecodingError) {
            return try TrialDecoding.decodedFormat(of: format, magicCookie: cookie, packets: packets)
        } catch {
            return format
        }
    }
}
