import Households
import NIOCore
import Pairing
import Peering
import SecureChannel

/// An input of a new machine's session.
public enum NewcomerEvent: Sendable {
    /// Somebody has connected; `address` is numeric.
    case opened(ConnectionID, address: String)
    /// The other side has proved to have this key; before anything that it says.
    case authenticated(ConnectionID, PeerKey, ChannelBinding)
    /// What came over a connection is no longer what a peer sends, or it ended in the middle.
    case broken(ConnectionID, ConnectionSecurityError)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// The household of ``NewcomerAction/store(_:)`` is stored.
    case stored
    /// It cannot be stored, for this reason.
    case notStored(String)
    /// Time has passed; must come at least every 100 ms.
    case tick
}

/// What the shell must do, in order.
public enum NewcomerAction: Sendable {
    case send(ConnectionID, ByteBuffer)
    /// Close after what was sent is on its way.
    case close(ConnectionID)
    case tell(NewcomerNotice)
    /// Store the household that this machine belongs to now; answer with ``NewcomerEvent/stored``, or
    /// ``NewcomerEvent/notStored(_:)``.
    case store(Household)
    /// The session is over; no action follows.
    case finished(NewcomerEnding)
}

/// What the person before a new machine is told.
public enum NewcomerNotice: Sendable {
    /// Show this code, in place of any before.
    case code(PairingCode, isFirst: Bool)
    /// A try failed, and its code with it. After the last one that is left, the session ends.
    case failed(PairingParty, PairingTryFailure, left: Int)
}

/// Who tries to let a new machine in. Nothing of it is proved.
public struct PairingParty: Hashable, Sendable {
    public let connection: ConnectionID
    /// As it greeted.
    public let name: String
    /// Numeric.
    public let address: String

    public init(connection: ConnectionID, name: String, address: String) {
        self.connection = connection
        self.name = name
        self.address = address
    }
}

/// Why a try to let a new machine in failed, as that machine sees it. Texts come from the other side.
public enum PairingTryFailure: Error, Hashable {
    /// Another code was typed, or somebody stands between the two machines.
    case wrongCode
    /// The connection was lost in the middle.
    case lost
    case timedOut
    /// The other side gave up, for this reason.
    case refused(String)
    /// It said what makes no sense in a pairing.
    case malformed
    case broken(PeerError)
    /// Its code was right, but what it sent is no household with both machines in it.
    case unusableHousehold(HouseholdError)
}

/// How a new machine's session ended.
public enum NewcomerEnding: Sendable {
    /// This machine belongs to the household.
    case paired(Household)
    case failed(NewcomerFailure)
}

/// Why a new machine waits no longer.
public enum NewcomerFailure: Error, Hashable {
    /// Nobody can pair until it is asked for again.
    case tooManyFailures
    /// The household cannot be stored here, for this reason. Its members know this machine all the same.
    case notStored(String)
}

/// Bounds of a new machine that waits. A member needs one connection.
public enum NewcomerLimits {
    public static let connectionCount = 32
    /// Connections that have not shown that they know the code.
    public static let candidateCount = 24
    /// What all of these may have sent that is not read yet.
    static let candidateByteCount = 64 * 1024
}
