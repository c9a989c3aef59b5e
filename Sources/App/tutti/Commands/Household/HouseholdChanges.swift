import Glibc
import Households
import SecureChannel
import TerminalIO
import TuttiRuntime

/// What `tutti household` changes, and what it says of that.
struct HouseholdChanges {
    let directory: StateDirectory

    private var file: HouseholdFile { HouseholdFile(directory: directory) }

    func create(name: String) throws(RuntimeFailure) {
        let identity = try identity()
        try change { (household) throws(HouseholdChangeError) in
            if let household { throw .exists(household.name, household.standing(of: identity.keys.key)) }
            do throws(HouseholdError) {
                household = try Household(name: name, founder: identity.keys, memberName: identity.name)
            } catch {
                throw .household(error)
            }
        }
        say("\(identity.name) is the first member of the household \(name), and takes part with its members only")
        say("'tutti pair' lets others in, 'tutti household invite' those without screen and keyboard")
    }

    func remove(_ text: String) throws(RuntimeFailure) {
        let keys = try identity().keys
        let household = try stored()
        let member = try household.member(meantBy: text)
        guard member.peerKey != keys.key else {
            throw RuntimeFailure(.usage, .other("that is this machine: 'tutti household leave' takes it out"))
        }
        try remove(member.key, by: keys)
        say("\(member.name) is removed from \(household.name), and its key does not come back")
        let news = try MemberNews.tell(.removal, as: identity())
        if let failure = news.failure { throw failure }
        say(MemberNewsSentence(news).text)
    }

    func invite(hours: Int64) throws(RuntimeFailure) {
        let keys = try identity().keys
        let household = try stored()
        guard !StandardStream.output.isTerminal else {
            throw RuntimeFailure(
                .usage, .other("an invitation is a secret; write it to a file: tutti household invite > invitation"))
        }
        guard let invitation = try? Invitation(to: household, until: Int64(time(nil)) + hours * 3_600, by: keys) else {
            throw RuntimeFailure(HouseholdChangeError.household(.notMember))
        }
        hideOutput()
        guard StandardStream.output.write(invitation.fileText.withBytes { String(decoding: $0, as: UTF8.self) }) else {
            throw RuntimeFailure(.cannotCreate, .other("the invitation could not be written"))
        }
        note(
            "the invitation lets one machine into \(household.name) within \(hours) h: 'tutti join --household FILE' "
                + "there; keep it as secret as a password")
    }

    // MARK: Leaving

    func leave() throws(RuntimeFailure) {
        if let other = try setAsideDamaged() {
            return say("the damaged household is now \(other), and this machine open to whoever is on its network")
        }
        let identity = try identity()
        let household = try stored()
        let isAlone = household.members.map(\.peerKey) == [identity.keys.key]
        if household.isMember(identity.keys.key), !isAlone { try sayFarewell(as: identity) }
        // In this order: interrupted in between, it can be said again.
        let former = isAlone ? nil : try replaceKey()
        try change { (household) throws(HouseholdChangeError) in household = nil }
        say("this machine has left \(household.name), and is open to whoever is on its network")
        guard let former else { return }
        say("it has a new key, and the former one, which does not come back to a household, is now \(former)")
        say("what runs here keeps the former key until it is started again; to others this machine is a new one")
    }

    /// Takes this machine out of the document, before anybody hears of it: whatever happens then, it is no member.
    private func sayFarewell(as identity: Identity) throws(RuntimeFailure) {
        let after = try remove(identity.keys.signingKey, by: identity.keys)
        let news = try MemberNews.tell(.departure(after), as: identity)
        say(MemberNewsSentence(news).text)
        guard news.told.isEmpty else { return }
        note(
            "as nobody knows, this machine stays in their lists: 'tutti household remove \(identity.name)' on one of them"
        )
    }

    /// A key that was removed does not come back.
    /// - Returns: the path of the former one.
    private func replaceKey() throws(RuntimeFailure) -> String {
        do throws(PrivateFileError) {
            return try KeyFile(directory: directory).replace()
        } catch {
            throw RuntimeFailure(error)
        }
    }

    private func setAsideDamaged() throws(RuntimeFailure) -> String? {
        do throws(PrivateFileError) { return try file.setAsideDamaged() } catch { throw RuntimeFailure(error) }
    }

    // MARK: Parts

    /// Unlike for other commands, a key of this run alone would be of no use.
    private func identity() throws(RuntimeFailure) -> Identity {
        do throws(PrivateFileError) {
            var identity = Identity(keys: try KeyFile(directory: directory).keys())
            identity.household = StoredHousehold(try file.household(), in: file)
            return identity
        } catch {
            throw RuntimeFailure(error)
        }
    }

    /// - Throws: without a household.
    private func stored() throws(RuntimeFailure) -> Household {
        do throws(PrivateFileError) {
            if let household = try file.household() { return household }
        } catch {
            throw RuntimeFailure(error)
        }
        throw RuntimeFailure(HouseholdChangeError.none)
    }

    /// - Returns: the household without that member.
    @discardableResult
    private func remove(_ key: SigningKey, by keys: PeerKeyPair) throws(RuntimeFailure) -> Household {
        let changed = try change { (household) throws(HouseholdChangeError) in
            guard household != nil else { throw .none }
            do throws(HouseholdError) { try household?.remove(key, by: keys) } catch { throw .household(error) }
        }
        guard let changed else { throw RuntimeFailure(HouseholdChangeError.none) }
        return changed
    }

    @discardableResult
    private func change(
        _ body: (inout Household?) throws(HouseholdChangeError) -> Void
    ) throws(RuntimeFailure) -> Household? {
        let result: Result<Household?, HouseholdChangeError>
        do throws(PrivateFileError) { result = try file.update(body) } catch { throw RuntimeFailure(error) }
        do throws(HouseholdChangeError) { return try result.get() } catch { throw RuntimeFailure(error) }
    }

    /// Lets nobody else read the file that this process writes its output to.
    private func hideOutput() {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        fchmod(STDOUT_FILENO, 0o600)
    }

    private func say(_ line: String) { StandardStream.output.write(line.terminalSafe + "\n") }

    private func note(_ line: String) { StandardStream.error.write("tutti: \(line)".terminalSafe + "\n") }
}
