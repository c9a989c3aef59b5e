import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// Which new machine is to be let in.
public enum SponsorTarget: Hashable, Sendable {
    /// The only one of the network that waits.
    case any
    case named(String)
    case address(NetworkAddress)
}

/// An input of a sponsor's session.
public enum SponsorEvent: Sendable {
    /// mDNS named a peer.
    case contact(PeerContact)
    /// There is no mDNS, for this reason.
    case searchFailed(String)
    /// A dialled connection is ready; `address` is numeric.
    case opened(ConnectionID, address: String, dial: Dialer.Dial)
    case dialFailed(Dialer.Dial)
    /// The other side has proved to have this key; before anything that it says.
    case authenticated(ConnectionID, PeerKey, ChannelBinding)
    /// What came over a connection is no longer what a peer sends, or it ended in the middle.
    case broken(ConnectionID, ConnectionSecurityError)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// The household, stored with the new member.
    case admitted(Household)
    case notAdmitted(AdmissionFailure)
    /// Time has passed; must come at least every 50 ms.
    case tick
}

/// What the shell must do, in order.
public enum SponsorAction: Sendable {
    /// Begin to search by mDNS; answer with ``SponsorEvent/contact(_:)``, or ``SponsorEvent/searchFailed(_:)``.
    case search
    /// Try to connect; answer with ``SponsorEvent/opened(_:address:dial:)`` or ``SponsorEvent/dialFailed(_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    case close(ConnectionID)
    /// Let this key into the household that is stored; answer with ``SponsorEvent/admitted(_:)``, or
    /// ``SponsorEvent/notAdmitted(_:)``.
    case admit(SigningKey, name: String)
    /// The session is over; no action follows.
    case finished(SponsorEnding)
}

/// Why the household has no new member.
public enum AdmissionFailure: Error, Hashable {
    /// This machine has no household any more.
    case noHousehold
    case household(HouseholdError)
    /// It cannot be stored, for this reason.
    case notStored(String)
}

/// How a sponsor's session ended. Names and texts come from the new machine.
public enum SponsorEnding: Sendable {
    /// The machine of this name has stored the household.
    case paired(String, Household)
    case failed(SponsorFailure)
}

/// Why a sponsor let nobody in, or does not know whether that was any use.
public enum SponsorFailure: Error, Hashable {
    /// No machine waits, or none of the wanted name, but these others.
    case notFound(others: [String])
    /// There is no mDNS, for this reason.
    case cannotSearch(String)
    /// Several machines wait: these.
    case ambiguous([String])
    /// Nobody answered.
    case noAnswer
    /// The machine of this name does not wait to be paired.
    case doesNotWait(String)
    /// It shows another code.
    case wrongCode(String)
    /// It shows no code, or another one, and did not say so: it may be another machine than the one that was meant.
    case doesNotKnowCode(String)
    case turnedAway(by: String, Refusal.Reason, String)
    /// The signing key that it stated is not that of its connection.
    case foreignKey(String)
    /// It said what makes no sense in a pairing.
    case malformed(String)
    case timedOut(String)
    case lost(String)
    case brokenProtocol(String, PeerError)
    case notAdmitted(String, AdmissionFailure)
    /// It was let in, but did not say that it has the household; it may have given a reason.
    case unconfirmed(String, reason: String?)
}

/// Time-outs and bounds of a sponsor.
public enum SponsorLimits {
    /// How long to collect machines that wait, from the first one found, before the only one is taken: a wrong one
    /// would cost a try.
    public static let choiceTime = TimeSpan.milliseconds(500)
    /// A machine must be found within this time, and then answer within this time.
    public static let patience = TimeSpan.seconds(3)
    public static let foundCount = 64
}
