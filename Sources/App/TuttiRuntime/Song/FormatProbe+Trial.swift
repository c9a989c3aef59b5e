import AudioDecoding
import Songs
import LibavcodecDecoding

extension FormatProbe {
    /// Decodes the first packets if a library can; otherwise trusts the parser.
    static let trial = FormatProbe { format, cookie, packets in
        do throws(AudioDecodingError) {
            return try TrialDecoding.decodedFormat(of: format, magicCookie: cookie, packets: packets)
        } catch {
            return format
        }
    }
}
