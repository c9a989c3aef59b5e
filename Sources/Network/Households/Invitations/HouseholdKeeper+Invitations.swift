import AudioCore
import SecureChannel

extension HouseholdKeeper {
    /// Lets in the machine at the other end of a channel, if the invitation that it shows holds.
    /// - Returns: whether ``household`` is another one than before.
    mutating func admit(
        _ request: InvitationRequest, in meeting: HouseholdMeeting, at unixTime: Int64, now: HostTime
    ) throws(InvitationError) -> Bool {
        guard var changed = household else { throw .otherHousehold }
        try changed.admit(request, from: meeting.remoteKey, over: meeting.binding, at: unixTime, by: keys)
        guard changed != household else { return false }
        set(changed, now: now)
        return true
    }
}
