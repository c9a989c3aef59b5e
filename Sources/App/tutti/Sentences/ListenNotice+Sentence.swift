import AudioCore
import Listening

extension ListenNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .nothingFound(let wanted) where wanted.isEmpty:
            "no broadcast found yet; waiting for one (start one with: tutti broadcast SONG)"
        case .nothingFound(let wanted):
            "no broadcast named \(wanted.joined(separator: " or ")) found yet; waiting (tutti peers lists who is there)"
        case .unanswered(let address): "no broadcaster answers at \(address); trying again until one does"
        case .severalFound(let names, let taken, let choice):
            "several broadcasts: \(names.joined(separator: ", ")); taking \(taken), \(choice.reading) "
                + "(choose with --from NAME)"
        case .waitingForNext: "waiting for the next broadcast"
        case .joined(let name): "joined \(name)"
        case .back(let name, let span): "\(name) is back" + span.absence
        case .lost(let name, .forItsReturn(let longest)): "lost \(name): waiting \(Int(longest.seconds)) s for it"
        case .lost(let name, .forABroadcast(let playsOn)):
            "lost \(name): " + (playsOn ? "playing what is buffered, " : "") + "waiting for a broadcast"
        case .ended(let name): "\(name): the broadcast ended"
        case .stopped(let name): "\(name): the broadcast was stopped"
        case .failed(let name, let reason): "\(name): the broadcast failed: \(reason)"
        case .refused(let name, let reason): "\(name) refuses: \(reason)"
        case .anotherKey(let name, _): AnotherKeySentence(name: name).text
        case .notOfHousehold(let name, _):
            "\(name) is not of this machine's household, and so not heard: pair it, or say --allow-broadcast anyone"
        case .turnedAway(let name, let reason, _): "refused \(name): \(reason)"
        case .leftEarly(let name, let reason, _): "\(name): \(reason)"
        case .mute(let name): "nothing heard from \(name)"
        case .clockPath(let name, .udp): "\(name)'s clock answers by UDP now"
        case .clockPath(let name, .tcp):
            "UDP is blocked between \(name) and this machine: clock over TCP, less exact"
        case .clockUnanswered(let name):
            "\(name)'s clock does not answer: does a firewall stop UDP between the two machines?"
        case .slept(let span, let name):
            "this machine slept for \((span.seconds * 10).rounded() / 10) s: silent until \(name)'s time is known again"
        case .offsetTooEarly(let offset):
            "an offset of \(Int64(saturating: offset.microseconds)) us is more than the broadcast's start delay: "
                + "the beginning is not heard here (start with: tutti broadcast --start-delay "
                + "\(Int64(saturating: (-offset).milliseconds) + 250))"
        case .cardRateImpossible(let percent, let isSlow):
            "the sound card runs about \(percent) % \(isSlow ? "slower" : "faster") than it says: nothing is played on "
                + "it, since it could not be in step (tutti devices lists others)"
        case .songLost(let span, let name):
            "\((span.seconds * 10).rounded(.up) / 10) s of the song are lost: the connection to \(name) was down for too long"
        case .packetsDropped(let count, let name):
            (count == 1 ? "1 packet of song was" : "\(count) packets of song were")
                + " dropped: the network from \(name), or this machine, is too slow for it"
        case .crowded(let limit):
            "more than \(limit) connections bring no broadcast: closing some from the addresses with the most"
        case .tooFarAhead(let name):
            "\(name) sends song faster than it plays: what is too far ahead of its time is not recorded"
        }
    }
}

extension ListenNotice.Choice {
    /// Behind the name of the one that is taken.
    fileprivate var reading: String {
        switch self {
        case .household: "of this machine or its household"
        case .heardBefore: "heard before"
        case .lowestUUID: "the lowest UUID of those equally well known"
        case .beganFirst: "the first of its machine"
        }
    }
}

extension TimeSpan {
    fileprivate var absence: String {
        let seconds = Int(self.seconds.rounded())
        return seconds > 0 ? " after \(seconds) s" : ""
    }
}
