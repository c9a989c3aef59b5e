import AudioCore

// Errors of a URL, each in one line.

extension HTTPSource {
    /// Describes a transfer without a response: libcurl's codes (libcurl-errors.3), in our words where they are better.
    func failure(_ end: HTTPTransfer.End) -> SongFailure {
        switch end.code {
        case 3: SongFailure(.missing, "\(name) is no valid URL")
        case 6: SongFailure(.missing, "\(name): no host of that name is known; check the address")
        case 7, 28: SongFailure(.missing, "\(name) cannot be reached: \(Self.detail(end))")
        case 47:
            SongFailure(
                .missing, "\(name) is redirected more than \(HTTPTransfer.redirectLimit) times; it leads nowhere")
        case 51, 60:
            SongFailure(.missing, "\(name): the server's certificate is not to be trusted: \(Self.detail(end))")
        case HTTPTransfer.refusedOption:
            SongFailure(.unavailable, "\(name) cannot be fetched: \(Self.detail(end))")
        default: SongFailure(.missing, "\(name) cannot be fetched: \(Self.detail(end))")
        }
    }

    /// Returns libcurl's text, which may name a redirection's target: one line, fit to be shown.
    static func detail(_ end: HTTPTransfer.End) -> String {
        String(end.text.prefix { !$0.isNewline }).trimmed.withoutCredentials
    }

    /// Returns what is wrong with a response; nil if the bytes of a song may follow.
    func objection(to head: HTTPResponseHead) -> SongFailure? {
        if head.status >= 400 {
            return SongFailure(.missing, "\(name): the server says \(head.statusText)")
        }
        guard head.status == 200 || head.status == 206 else {
            return SongFailure(.missing, "\(name): the server's answer (\(head.statusText)) is no song")
        }
        if head.isWebPage {
            return SongFailure(.unusable, "\(name) is a web page; name the song or the stream itself")
        }
        if head["content-encoding"].map({ $0.lowercased() != "identity" }) ?? false {
            return SongFailure(.unusable, "\(name) is sent compressed (\(head["content-encoding"] ?? "")) unasked")
        }
        return nil
    }
}
