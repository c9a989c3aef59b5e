import AudioCore
import AudioDecoding
import AudioFileWriting
import AudioQueueServices
import ClockExchange
import Controlling
import Discovery
import HouseholdSessions
import Listening
import Observing
import Peering
import Playout
import Recording
import Songs

/// Why a command failed, and the fitting exit code. Whoever shows it makes the sentence.
public struct RuntimeFailure: Error, Hashable, Sendable {
    /// Exit codes after BSD's sysexits.h, where one fits.
    public enum Kind: Int32, Hashable, Sendable {
        case general = 1
        /// It is not clear what is meant, or a number is out of range: EX_USAGE.
        case usage = 64
        /// Bad data in a song: EX_DATAERR.
        case unusableInput = 65
        /// A file is missing or unreadable: EX_NOINPUT.
        case missingInput = 66
        /// A named peer was not found: EX_NOHOST.
        case unknownPeer = 68
        /// Port, mDNS, sound device: EX_UNAVAILABLE.
        case unavailable = 69
        /// A file cannot be written: EX_CANTCREAT.
        case cannotCreate = 73
        /// The network or the other side failed: EX_IOERR.
        case lost = 74
        /// It may work later: EX_TEMPFAIL.
        case temporary = 75
        /// The other side runs another release: EX_PROTOCOL.
        case incompatible = 76
        /// The other side does not allow it, or this machine's key is not its own: EX_NOPERM.
        case notAllowed = 77
    }

    /// What went wrong, with its values.
    public enum Reason: Hashable, Sendable {
        // MARK: Songs

        case song(SongFailure)
        /// The name is the one that the user gave.
        case noAudio(name: String)
        case undecodable(name: String, AudioDecodingError)
        /// So many of all songs could not be played; each was reported.
        case songsFailed(count: Int, of: Int)
        /// Somebody sent the song, and it made room for others.
        case sentSongGone
        /// Why a broadcast's source gave up, in its own words.
        case source(String)

        // MARK: Devices and files

        case output(OutputDeviceError)
        case input(InputDeviceError)
        /// The device that a broadcast captures was away for too long.
        case inputAway
        case queue(TimelineQueueError)
        case file(AudioFileWritingError)
        case recording(RecordingFailure)

        // MARK: The network

        /// The user's port, at which the peer was to be reached.
        case portInUse(UInt16)
        case clockPortInUse(UInt16)
        /// In the system's words.
        case notListening(port: UInt16, String)
        case noClockPort(ClockExchangeError)
        case noDiscovery(DiscoveryFailure)
        /// None of the listeners of these names came.
        case noListener(names: [String])
        /// A listener's broadcaster failed or vanished.
        case listening(ListenFailure)

        // MARK: A check

        case nobodyPlays(broadcaster: String)
        case endedUnchecked
        case checkRefused(ObserveRefusal)
        case lostInCheck(broadcaster: String)
        case noAnswer(NetworkAddress)
        /// Empty if any broadcast would have done.
        case noBroadcast(names: [String])

        // MARK: A command

        case control(ControlEnding, ControlTarget)

        // MARK: Pairing

        case newcomer(NewcomerFailure)
        case sponsor(SponsorFailure, SponsorTarget)

        // MARK: The household

        case household(EnrolmentFailure)

        // MARK: This machine

        /// No thread or file descriptor is left; the system's error number.
        case outOfResources(code: Int32)
        case noFileDescriptor
        case noThread
        /// A library's own words.
        case other(String)
    }

    public var kind: Kind
    public var reason: Reason

    public init(_ kind: Kind, _ reason: Reason) {
        self.kind = kind
        self.reason = reason
    }

    /// The songs to play instead, if the input is a playlist.
    var songs: [String] {
        if case .song(let failure) = reason, case .list(let songs) = failure.kind { songs } else { [] }
    }

    static func outOfResources(code: Int32) -> RuntimeFailure {
        RuntimeFailure(.unavailable, .outOfResources(code: code))
    }
}

extension RuntimeFailure {
    public init(_ failure: SongFailure) {
        let kind: Kind =
            switch failure.kind {
            case .missing, .noInput: .missingInput
            case .unusable, .list: .unusableInput
            case .lost: .lost
            case .cannotCreate: .cannotCreate
            case .unavailable: .unavailable
            case .stopped: .general
            }
        self.init(kind, .song(failure))
    }
}
