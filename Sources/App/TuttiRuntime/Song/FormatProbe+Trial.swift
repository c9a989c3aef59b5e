import AudioDecoding
import LibavcodecDecoding
import Songs

extension FormatProbe {
    /// Decodes the first packets, where there are workers and a library that can; else the parser's word is taken.
    static let trial = FormatProbe { format, cookie, packets in
        guard DecodeWorkers.areThere else { return format }
        do throws(AudioDecodingError) {
            return try TrialDecoding.decodedFormat(of: format, magicCookie: cookie, packets: packets)
        } catch {
            return format
        }
    }
}
