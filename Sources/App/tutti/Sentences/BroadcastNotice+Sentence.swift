import Broadcasting

extension BroadcastNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .source(_, let text), .sourceFailed(let text): text
        case .songDamaged(let problem), .songTruncated(let problem): "the file is damaged: \(problem)"
        case .songCutOff(let seconds, let whole, let problem):
            "the file is \(problem.map { "damaged: \($0)" } ?? "cut off") (\(seconds) s of \(whole) s are there)"
        case .songFellSilent: "the source is too slow: silent until enough is buffered"
        case .songGoesOn(let silence): "the song goes on after \(Int(silence.seconds.rounded())) s of silence"
        case .songPassedOver(_, let reason): "a song is left out: \(reason)"
        case .soughtPastTheEnd(isOver: false): "the place that was sought is past the song's end: the next one follows"
        case .soughtPastTheEnd(isOver: true):
            "the place that was sought is past the end of the last song: the programme is over"
        case .startedWithout(let names): "starting without \(names.joined(separator: ", ")): not found"
        case .decodingTooSlow: "this machine decodes too slowly: listeners that are sent PCM miss some of the song"
        case .joined(let name): "\(name) joined"
        case .left(let name): "\(name) left"
        case .gone(let name, nil): "\(name) is gone"
        case .gone(let name, .mute): "\(name) is gone (nothing heard from it)"
        case .gone(let name, .stalled): "\(name) is gone (it stopped reading)"
        case .dropped(let name, let count): "\(name) is too slow: \(count) packets dropped for it"
        case .sentPCM(let name, let codec): "\(name) cannot decode \(codec.commonName): it is sent PCM"
        case .clockOverTCP(let name):
            "UDP is blocked between \(name) and this machine: clock over TCP, less exact"
        case .followsLate(let name, let held):
            "\(name)'s sound card holds \(Int(held.milliseconds.rounded())) ms and cannot take it back: "
                + "it follows commands later than the others"
        case .observed(let name): "\(name) is watching (tutti check)"
        case .songsAdded(let name, let first, 1): "\(name) added '\(first)'"
        case .songsAdded(let name, let first, let count): "\(name) added '\(first)' and \(count - 1) more"
        case .namedUnanswered(let address): "no listener answers at \(address); trying again until one does"
        case .unanswered(let name, let address): "\(name ?? "a listener"): no answer at \(address), trying again"
        case .busy(let name, let text): "\(name) is busy: \(text)"
        case .refusedBy(let name, let text): "\(name) refuses: \(text)"
        case .anotherKey(let name, _): AnotherKeySentence(name: name).text
        case .refused(let name, let refusal): "refused \(name): \(refusal.text)"
        case .leftEarly(let name, let reason, _): "\(name): \(reason)"
        case .connectionsFull(let limit): "more than \(limit) connections: the others are refused"
        case .addressFull(let address, let limit):
            "more than \(limit) connections from \(address): the others are refused"
        case .crowded(let limit):
            "more than \(limit) connections have not identified themselves: closing some from the addresses with the most"
        }
    }
}
