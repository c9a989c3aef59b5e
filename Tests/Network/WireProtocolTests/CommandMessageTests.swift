import AudioCore
import NIOCore
import Testing
import WireProtocol

/// Commands, their outcomes, and what followers are told.
@Suite(.timeLimit(.minutes(5))) struct CommandMessageTests {
    private static let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)

    /// What these bytes say after a greeting, with nothing missing.
    private func parse(_ bytes: [UInt8]) throws(WireError) -> ControlMessage? {
        guard case .message(let message)? = try Transcript.parsing(Self.opening + bytes).entries.last else {
            return nil
        }
        return message
    }

    private func parse(_ message: ControlMessage) throws(WireError) -> ControlMessage? {
        try parse(Array(CommandSamples.buffer(message).readableBytesView))
    }

    private func hex(_ message: ControlMessage) -> String {
        CommandSamples.buffer(message).readableBytesView.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private func command(code: UInt16, _ fields: [UInt8]) -> [UInt8] {
        let id = [UInt8](repeating: 1, count: 16)
        let payload = id + [UInt8(code >> 8), UInt8(code & 0xFF)] + fields
        return [0, 0x40, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }

    private func operation(code: UInt16, _ fields: [UInt8]) throws(WireError) -> CommandOperation? {
        guard case .command(let command)? = try parse(command(code: code, fields)) else { return nil }
        return command.operation
    }

    @Test func everyMessageComesOutAsItWentIn() throws {
        for message in CommandSamples.messages { #expect(try parse(message) == message) }
    }

    @Test func theBytesOfACommand() {
        let id = "00112233445566778899aabbccddeeff"
        func command(_ operation: CommandOperation) -> String {
            hex(.command(Command(id: CommandSamples.id, operation)))
        }
        #expect(command(.programme(.pause)) == "004000000012" + id + "0002")
        #expect(command(.programme(.skip(by: .microseconds(-1)))) == "00400000001a" + id + "0009" + "ffffffffffffffff")
        #expect(
            command(.programme(.move(.id(ItemID(7)), to: 2))) == "00400000001b" + id + "000e" + "0000000007"
                + "00000002")
        #expect(
            command(.programme(.add([CommandSamples.source("http://a/b")]))) == "004000000021" + id + "000b" + "0001"
                + "01" + "000a687474703a2f2f612f62")
        #expect(
            command(.listeners(.volume(.step(-5)), of: .named("Den"))) == "00400000001d" + id + "0020" + "010003"
                + "44656e" + "01fffffffb")
        #expect(command(.listeners(.role(.channel(6)), of: .all)) == "004000000017" + id + "0022" + "000000" + "0406")
    }

    @Test func theBytesOfAnOutcome() {
        let id = "00112233445566778899aabbccddeeff"
        let done = CommandOutcome(
            id: CommandSamples.id, .done(number: 9, effect: SessionTime(nanoseconds: 8)),
            sent: SessionTime(nanoseconds: 7))
        #expect(
            hex(.outcome(done)) == "00500000002b" + id + "00" + "0000000000000009" + "0000000000000008"
                + "0000000000000007" + "0000")
        let refused = CommandOutcome(id: CommandSamples.id, .refused(.noSuchListener(nearest: "Den")), text: "no")
        #expect(
            hex(.outcome(refused)) == "005000000024" + id + "01" + "0005" + "000344656e"
                + "0000000000000000" + "00026e6f")
    }

    @Test func theBytesThatFollowersGet() {
        let item = "00000003" + "0c" + "0000002e90edd000" + "0004536f6e67"
        let station = "00000004" + "07" + "ffffffffffffffff" + "0005526164696f"
        let (ofItem, ofStation) = ("0003457661" + "00034f6c64", "0000" + "0000")
        let status =
            "01" + "07" + item + station + "000000000000ac44" + "0000000000000005" + "40e5888000000000"
            + "40e5889000000000"
        let settings = "2801" + "fffffffffffffff9" + "0402"
        let attic =
            "0102030405060708" + "00054174746963" + "03" + "03" + settings + "fffffffffffffffe" + "0000000000000003"
        let den = "0000000000000009" + "000344656e" + "00" + "00"
        #expect(hex(.settings(CommandSamples.settings)) == "00310000000c" + settings)
        #expect(hex(.groupVolume(VolumeSetting(level: 80, isMuted: true))) == "001300000002" + "5001")
        #expect(hex(.nextTitle("Song")) == "001400000006" + "0004536f6e67")
        #expect(hex(.nextTitle(nil)) == "001400000002" + "0000")
        #expect(hex(.modes(PlayModes(repeats: .all, isShuffled: true))) == "001500000002" + "0201")
        #expect(hex(.reportInterval(.seconds(1))) == "001600000008" + "000000003b9aca00")
        #expect(hex(.follow) == "004100000000")
        #expect(hex(.unfollow) == "004100000001" + "00")
        #expect(
            hex(.programmeState(CommandSamples.state)) == "0051000000af" + "000000000000000c" + "0000000000000006"
                + status
                + "0201" + "00002710" + "5000" + "0002" + attic + den + ofItem + ofStation + "70d5")
        #expect(
            hex(
                .programmeChange(
                    ProgrammeChange(sequence: 1, effect: SessionTime(nanoseconds: 2), .item(CommandSamples.item))))
                == "00520000002e" + "0000000000000001" + "0000000000000002" + "04" + item + ofItem)
        #expect(hex(.queuePageRequest(QueuePageRequest(first: 256, count: 2))) == "004200000006" + "00000100" + "0002")
        #expect(
            hex(.queuePage(CommandSamples.page)) == "005300000047" + "000000000000000c" + "00002710" + "00000100"
                + "0002" + item + station + ofItem + ofStation)
    }

    @Test func theBytesOfASongThatIsSent() {
        let id = "00112233445566778899aabbccddeeff"
        let offer = SongOffer(id: CommandSamples.id, byteCount: 300, position: 7, name: "a.mp3")
        #expect(
            hex(.songOffer(offer)) == "004300000023" + id + "000000000000012c" + "00000007" + "0005612e6d7033")
        let bytes = SongBytes(id: CommandSamples.id, bytes: ByteBuffer(bytes: [1, 2, 3]))
        #expect(hex(.songBytes(bytes)) == "004400000013" + id + "010203")
        #expect(
            hex(.songCredit(SongCredit(id: CommandSamples.id, upTo: 65_536))) == "005400000018" + id
                + "0000000000010000")
    }

    @Test func theBytesOfALookup() {
        let id = "00112233445566778899aabbccddeeff"
        func lookup(_ subject: LookupSubject) -> String {
            hex(.lookup(Lookup(id: CommandSamples.id, offset: 256, subject)))
        }
        #expect(lookup(.lyrics(of: ItemID(7))) == "004500000019" + id + "00000100" + "01" + "00000007")
        #expect(lookup(.artwork(of: ItemID(7))) == "004500000019" + id + "00000100" + "02" + "00000007")
        #expect(lookup(.levels(of: ItemID(7))) == "004500000019" + id + "00000100" + "03" + "00000007")
        #expect(
            lookup(.songs(query: "nina", limit: 5)) == "00450000001d" + id + "00000100" + "04" + "0005" + "00046e696e61"
        )
        #expect(lookup(.findings) == "004500000015" + id + "00000100" + "05")
        let part = Finding.Content.part(ofByteCount: 259, offset: 256, bytes: ByteBuffer(bytes: [1, 2, 3]))
        #expect(
            hex(.finding(Finding(id: CommandSamples.id, part))) == "00550000001c" + id + "00" + "00000103" + "00000100"
                + "010203")
        #expect(
            hex(.finding(Finding(id: CommandSamples.id, .nothing(reason: "no")))) == "005500000015" + id + "01"
                + "00026e6f")
    }

    /// A whole that is too long, a part that is not in it, and one that is too short.
    @Test(arguments: [
        (WireLimits.findingByteCount + 1, 0, WireLimits.findingPartByteCount), (10, 9, 2), (10, Int(UInt32.max), 1),
        (10, 0, 0), (10, 0, 9), (10, 10, 0), (0, 0, 1), (0, 1, 0),
        (WireLimits.findingByteCount, 0, WireLimits.findingPartByteCount + 1),
    ])
    func noPartOfAFinding(byteCount: Int, offset: Int, count: Int) {
        var payload = ByteBuffer(repeating: 1, count: 16)
        payload.writeInteger(UInt8(0))
        payload.writeInteger(UInt32(byteCount))
        payload.writeInteger(UInt32(offset))
        payload.writeRepeatingByte(7, count: count)
        var message = ByteBuffer(bytes: [0, 0x55])
        message.writeInteger(UInt32(payload.readableBytes))
        message.writeBuffer(&payload)
        #expect(throws: WireError.malformed(messageType: 0x55)) { try parse(Array(message.readableBytesView)) }
    }

    @Test func songBytesAreNeitherNoneNorMany() {
        let id = [UInt8](repeating: 1, count: 16)
        for count in [0, WireLimits.songBytesCount + 1] {
            let length = 16 + count
            let head: [UInt8] = [0, 0x44, 0, 0, UInt8(length >> 8), UInt8(length & 0xFF)]
            #expect(throws: WireError.malformed(messageType: 0x44)) {
                try parse(head + id + [UInt8](repeating: 9, count: count))
            }
        }
    }

    // MARK: What a later version may say

    @Test func anUnknownOperationHasItsIDSoThatItCanBeRefused() throws {
        let id = CommandID(high: 0x0101_0101_0101_0101, low: 0x0101_0101_0101_0101)
        #expect(
            try parse(command(code: 999, [1, 2, 3])) == .command(Command(id: id, .unknown(code: 999))))
    }

    @Test func anUnknownValueMakesTheOperationUnknown() throws {
        #expect(try operation(code: 16, [3]) == .unknown(code: 0), "repeat mode")
        #expect(try operation(code: 17, [2]) == .unknown(code: 0), "shuffle")
        #expect(try operation(code: 10, [2, 0, 0, 0, 1]) == .unknown(code: 0), "item reference")
        #expect(try operation(code: 11, [0, 1, 3, 0, 4, 1, 2, 3, 4]) == .unknown(code: 0), "kind of source")
        #expect(try operation(code: 32, [2, 0, 0, 0, 0, 0, 0, 0]) == .unknown(code: 0), "target")
        #expect(try operation(code: 32, [0, 0, 0, 5, 0, 0, 0, 0]) == .unknown(code: 0), "volume change")
        #expect(try operation(code: 34, [0, 0, 0, 5, 0]) == .unknown(code: 0), "role")
    }

    @Test func anUnknownReasonIsAnother() throws {
        var bytes = Array(
            CommandSamples.buffer(.outcome(CommandOutcome(id: CommandSamples.id, .refused(.notAllowed))))
                .readableBytesView)
        bytes[6 + 16 + 1] = 0x7F
        #expect(try parse(bytes) == .outcome(CommandOutcome(id: CommandSamples.id, .refused(.other))))
    }

    @Test func fieldsThatAreAppendedLaterAreIgnored() throws {
        #expect(try operation(code: 2, [1, 2, 3]) == .programme(.pause))
        #expect(try operation(code: 16, [2, 9]) == .programme(.setRepeat(.all)))
    }

    // MARK: What an earlier version says

    @Test func artistsAndAlbumsAreUnknownInItemsOfEarlierVersions() throws {
        let forms = CommandSamples.messages.compactMap(CommandSamples.inEarlierForm)
        #expect(forms.count == 6, "two states, a page, two statuses and an item")
        for form in forms { #expect(try parse(form.bytes) == form.message) }
    }

    @Test func artistsAndAlbumsThatAreEmptyAreUnknown() throws {
        let item = QueueItem(id: ItemID(1), title: "a", artist: "", album: "")
        let page = QueuePage(sequence: 1, itemCount: 1, first: 0, items: [item])
        guard case .queuePage(let parsed)? = try parse(.queuePage(page)) else { Issue.record("no page"); return }
        #expect(parsed.items[0].artist == nil && parsed.items[0].album == nil)
    }

    /// Flags, and what is read of them: live, failed, picture.
    @Test(
        arguments: [
            (0x00, false, false, nil), (0x03, true, true, nil), (0x04, false, false, false),
            (0x0C, false, false, true), (0x0D, true, false, true), (0x08, false, false, nil),
            (0xF0, false, false, nil), (0xF6, false, true, false),
        ] as [(UInt8, Bool, Bool, Bool?)])
    func flagsOfItems(flags: UInt8, isLive: Bool, hasFailed: Bool, hasPicture: Bool?) throws {
        let item = QueueItem(
            id: ItemID(1), title: "a", isLive: isLive, hasFailed: hasFailed, hasPicture: hasPicture)
        let change = ProgrammeChange(sequence: 1, effect: SessionTime(nanoseconds: 2), .item(item))
        var bytes = Array(WireEncoder.programmeChange(change).readableBytesView)
        // Behind them are the duration, a title of one byte, and two empty texts.
        let index = bytes.count - 16
        #expect(bytes[index] == flags & (hasPicture == nil ? 0x03 : 0x0F))
        bytes[index] = flags
        #expect(try parse(bytes) == .programmeChange(change))
    }

    @Test func aTextThatIsTooLongIsMalformed() throws {
        let change = ProgrammeChange(
            sequence: 1, effect: SessionTime(nanoseconds: 2), .item(QueueItem(id: ItemID(1), title: "a")))
        var bytes = Array(WireEncoder.programmeChange(change).readableBytesView.dropLast(4))
        bytes += [1, 1] + [UInt8](repeating: 65, count: 257) + [0, 0]
        #expect(throws: WireError.malformed(messageType: 0x52)) { try parse(CommandSamples.cut(bytes)) }
    }

    // MARK: Mistaken and hostile

    @Test func aNumberOutOfRangeIsLeftToTheBroadcaster() throws {
        #expect(
            try operation(code: 32, [0, 0, 0, 0, 0, 0, 1, 0x2C]) == .listeners(.volume(.level(300)), of: .all))
        #expect(
            try operation(code: 14, [1] + [UInt8](repeating: 0xFF, count: 8))
                == .programme(.move(.position(0xFFFF_FFFF), to: 0xFFFF_FFFF)))
    }

    @Test func aSpanBeyondNanosecondsBecomesTheLongest() throws {
        let longest = TimeSpan.microseconds(.max / 1_000)
        #expect(
            try operation(code: 8, [0x7F] + [UInt8](repeating: 0xFF, count: 7)) == .programme(.seek(to: longest)))
        #expect(
            try operation(code: 9, [0x80] + [UInt8](repeating: 0, count: 7)) == .programme(.skip(by: -longest)))
    }

    @Test(arguments: [
        "/etc/passwd", "song.mp3", "file:///etc/passwd", "ftp://host/a", "http:/host", "http://", "http:///a",
        "http://:80/a", "http://me@/a", "http://me:se/cret@", "https://?q", "", "-", "http://host/a b",
        "http://host/\n",
        "http://host/\u{202E}gpm", "https://" + String(repeating: "h", count: 2_041),
    ])
    func whatIsNoWebAddressCannotBeAdded(text: String) throws {
        #expect(WebAddress(text) == nil)
        let bytes = Array(text.utf8)
        #expect(throws: WireError.malformed(messageType: 0x40)) {
            try operation(code: 11, [0, 1, 1, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes)
        }
    }

    @Test(arguments: [
        "http://host", "HTTPS://Host:8443/a?b#c", "http://[::1]:80/a", "http://me:secret@host/a", "http://host/Küche",
        "https://" + String(repeating: "h", count: 2_040),
    ])
    func aWebAddressIsTakenAsItIs(text: String) throws {
        #expect(WebAddress(text)?.text == text)
        let add = CommandOperation.programme(.add([CommandSamples.source(text)]))
        #expect(
            try parse(.command(Command(id: CommandSamples.id, add))) == .command(Command(id: CommandSamples.id, add)))
    }

    @Test func credentialsAreRemovedForThoseWhoWatch() {
        let secret = [CommandSamples.source("http://me:se/cret@host/a")]
        let shown = [CommandSamples.source("http://host/a")]
        #expect(
            CommandOperation.programme(.insert(secret, at: 1)).withoutCredentials
                == .programme(.insert(shown, at: 1)))
        #expect(CommandOperation.programme(.add(secret)).withoutCredentials == .programme(.add(shown)))
    }

    @Test func sourcesAreDividedSoThatEachCommandIsShort() throws {
        let sources = (0..<1_000).map { index in
            CommandSamples.source("http://host/" + String(repeating: "a", count: index * 7 % 2_037))
        }
        let batches = ItemSource.batches(of: sources)
        #expect(batches.flatMap { $0 } == sources)
        for batch in batches {
            let command = Command(.programme(.insert(batch, at: 1)))
            #expect(WireEncoder.command(command).readableBytes <= 6 + 4_096)
            #expect(try parse(.command(command)) == .command(command))
        }
        #expect(ItemSource.batches(of: []) == [])
    }

    @Test func moreSourcesThanACommandMayHoldAreMalformed() {
        #expect(throws: WireError.malformed(messageType: 0x40)) { try operation(code: 11, [0, 65]) }
        let long = Array(("http://" + String(repeating: "h", count: 1_600)).utf8)
        let one = [1, UInt8(long.count >> 8), UInt8(long.count & 0xFF)] + long
        #expect(throws: WireError.malformed(messageType: 0x40)) { try operation(code: 11, [0, 2] + one + one) }
    }

    @Test func theLongestMessagesAreWithinTheLimit() throws {
        let name = String(repeating: "n", count: WireLimits.peerNameByteCount)
        let title = String(repeating: "t", count: Limits.titleByteCount)
        let item = QueueItem(id: ItemID(1), title: title, artist: title, album: title)
        var listener = CommandSamples.attic
        listener.name = name
        let status = TransportStatus(.playing, current: item, next: item, position: CommandSamples.playing.position)
        let state = ControlMessage.programmeState(
            ProgrammeState(
                sequence: 1, sent: SessionTime(nanoseconds: 0), status: status,
                listeners: [ProgrammeListener](repeating: listener, count: WireLimits.listenerSettingsCount)))
        let page = ControlMessage.queuePage(
            QueuePage(
                sequence: 1, itemCount: 256, first: 0,
                items: [QueueItem](repeating: item, count: WireLimits.itemsPerPage)))
        for message in [state, page] { #expect(try parse(message) == message) }
    }

    @Test func aPageOrStateThatClaimsTooManyIsMalformed() {
        #expect(throws: WireError.malformed(messageType: 0x53)) {
            try parse([0, 0x53, 0, 0, 0, 18] + [UInt8](repeating: 0, count: 16) + [1, 1])
        }
        let none = TransportStatus(.idle)
        var state = Array(
            WireEncoder.programmeState(
                ProgrammeState(sequence: 0, sent: SessionTime(nanoseconds: 0), status: none)
            ).readableBytesView)
        // The count of listeners stands before the page's port.
        (state[state.count - 4], state[state.count - 3]) = (4, 1)
        #expect(throws: WireError.malformed(messageType: 0x51)) { try parse(state) }
    }

    @Test func anImpossiblePositionIsMalformed() {
        func change(frame: Int64, sampleRate: Double, rate: Double?) -> ControlMessage {
            let position = PlaybackPosition(
                frame: FramePosition(frame), session: SessionTime(nanoseconds: 0), sampleRate: sampleRate,
                framesPerSecond: rate)
            return .programmeChange(
                ProgrammeChange(
                    sequence: 1, effect: SessionTime(nanoseconds: 0),
                    .status(TransportStatus(.playing, position: position))))
        }
        for impossible in [
            change(frame: 1 << 48, sampleRate: 44_100, rate: nil), change(frame: 0, sampleRate: 1, rate: nil),
            change(frame: 0, sampleRate: 44_100, rate: -44_100), change(frame: 0, sampleRate: .nan, rate: 44_100),
        ] {
            #expect(throws: WireError.malformed(messageType: 0x52)) { try parse(impossible) }
        }
    }

    /// A state may end before the page's port, or before its scheme, as those of older releases do.
    private func isOfOlderRelease(_ parsed: ControlMessage?, _ message: ControlMessage) -> Bool {
        guard case .programmeState(var whole) = message, let page = whole.page else { return false }
        return [nil, PageLocation(port: page.port)].contains { known in
            whole.page = known
            return parsed == .programmeState(whole)
        }
    }

    /// Whoever knows nothing of https still learns the port, and a page without a name is one.
    @Test func aPageBehindTLSIsWhereOneWithoutItWouldBe() throws {
        var state = CommandSamples.secureState
        let named = Array(WireEncoder.programmeState(state).readableBytesView)
        state.page?.scheme = .https(name: nil)
        let nameless = Array(WireEncoder.programmeState(state).readableBytesView)
        #expect(try parse(nameless) == .programmeState(state))
        state.page?.scheme = .http
        let plain = Array(WireEncoder.programmeState(state).readableBytesView)
        // All but the length of the message.
        #expect(named[6...].starts(with: plain[6...]) && nameless[6...].starts(with: plain[6...]))
        #expect(nameless.count == plain.count + 3)
    }

    /// The name is shown and becomes a part of addresses; a scheme of a later release leads nowhere.
    @Test func aStrangePageIsNone() throws {
        var state = CommandSamples.state
        for name in ["a/b", "music.example.org\u{1B}[2J", "Musik", "mu\u{FC}sik.example"] {
            state.page?.scheme = .https(name: name)
            let bytes = Array(WireEncoder.programmeState(state).readableBytesView)
            state.page?.scheme = .https(name: nil)
            #expect(try parse(bytes) == .programmeState(state), "\(name)")
        }
        var later = Array(WireEncoder.programmeState(state).readableBytesView)
        later[later.count - 3] = 2
        state.page = nil
        #expect(try parse(later) == .programmeState(state))
    }

    @Test func aMessageThatIsCutShortIsMalformedOrShorter() throws {
        for message in CommandSamples.messages {
            // A shorter piece of a song is a piece of a song.
            if case .songBytes = message { continue }
            // Without its field it asks for changes.
            if message == .unfollow { continue }
            let bytes = Array(CommandSamples.buffer(message).readableBytesView)
            let earlier = CommandSamples.inEarlierForm(message)
            for length in 6..<bytes.count {
                let cut = CommandSamples.cut(Array(bytes[..<length]))
                do throws(WireError) {
                    let parsed = try parse(cut)
                    if isOfOlderRelease(parsed, message) { continue }
                    if let earlier, cut == earlier.bytes, parsed == earlier.message { continue }
                    Issue.record("\(message), cut to \(length) bytes, is \(String(describing: parsed))")
                } catch {
                    #expect(error == .malformed(messageType: UInt16(bytes[1])))
                }
            }
        }
    }

    @Test func aMessageWithADamagedBitIsMalformedOrOneThatCanBeSaid() throws {
        for message in CommandSamples.messages {
            let bytes = Array(CommandSamples.buffer(message).readableBytesView)
            for bit in 6 * 8..<bytes.count * 8 {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                guard let parsed = try? parse(damaged) else { continue }
                #expect((try? parse(parsed)) == parsed, "bit \(bit) of \(message)")
            }
        }
    }

    // MARK: Positions

    @Test func aPositionNeedsNoTicks() {
        let position = PlaybackPosition(
            frame: FramePosition(44_100), session: SessionTime(nanoseconds: 1_000_000_000), sampleRate: 44_100,
            framesPerSecond: 88_200)
        #expect(position.time(at: SessionTime(nanoseconds: 2_500_000_000)) == .seconds(4))
        var paused = position
        paused.framesPerSecond = nil
        #expect(paused.time(at: SessionTime(nanoseconds: 2_500_000_000)) == .seconds(1))
    }
}
