import Cryptography
import ProgrammeJSON
import Testing

@testable import WebRemote

@Suite(.timeLimit(.minutes(5)))
struct GuestTests {
    private static let key = SecretBytes(copying: (0..<16).map { UInt8($0) })

    /// Computed by Python's base64 and hashlib.
    @Test func codesAndIDsAreThoseOfOtherPrograms() {
        let guest = Guest(name: "Anna", key: Self.key, role: .add, ends: 100)
        #expect(guest.code == "AAECAwQFBgcICQoLDA0ODw")
        #expect(guest.id.hex == "be45cb2605bf")
        #expect(guest.role.rights == [.listen, .add])
    }

    @Test func everyKeyHasOneCode() {
        for _ in 0..<100 {
            let guest = Guest(name: "", role: .listen, ends: 0)
            #expect(guest.code.utf8.count == 22)
            #expect(GuestCode.key(of: guest.code)?.matches(guest.key) == true)
        }
        // The last digit says two bits only; these say more.
        #expect(GuestCode.key(of: "AAECAwQFBgcICQoLDA0ODx") == nil)
        for code in ["", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODw=", "AAECAwQFBgcICQoLDA0OD+"] {
            #expect(GuestCode.key(of: code) == nil)
        }
    }

    @Test func aBookKnowsWhoIsValidNow() {
        let (early, late) = (Guest(name: "a", role: .listen, ends: 10), Guest(name: "b", role: .add, ends: 20))
        var book = GuestBook()
        #expect(!book.hasGuests(at: 0))
        book.replace([early, late])
        #expect(book.guest(early.id, at: 9)?.name == "a" && book.guest(early.id, at: 10) == nil)
        #expect(book.hasGuests(at: 19) && !book.hasGuests(at: 20))
        book.replace([early])
        #expect(book.guest(late.id, at: 0) == nil)
    }

    @Test func aNumberOfARequestIsGoodOnce() {
        let guest = Guest(name: "a", role: .listen, ends: 10)
        var book = GuestBook(since: 1_000_000)
        book.replace([guest])
        let now: Int64 = 1_060_000
        // Of two browsers with one code, whose clocks differ.
        #expect(book.accept(1_060_005, of: guest.id, at: now) && book.accept(1_050_000, of: guest.id, at: now))
        #expect(!book.accept(1_060_005, of: guest.id, at: now) && !book.accept(1_050_000, of: guest.id, at: now))
        // From before this process, and from far away.
        #expect(book.accept(1_000_000, of: guest.id, at: now) == false)
        #expect(!book.accept(1_180_001, of: guest.id, at: now) && book.accept(1_180_000, of: guest.id, at: now))
        #expect(book.accept(1_060_006, of: guest.id, at: now + 120_007) == false)
        // Withdrawn, and let in again with the same code.
        book.replace([])
        book.replace([guest])
        #expect(!book.accept(1_050_000, of: guest.id, at: now) && book.accept(1_050_001, of: guest.id, at: now))
        #expect(!GuestBook().hasGuests(at: 0))
    }

    @Test func oldNumbersAreForgottenAndStayBad() {
        var numbers = RequestNumbers()
        let count = UInt64(RequestNumbers.limit)
        #expect((1...count).allSatisfy { numbers.accept($0, at: 1) })
        // There is no room before some are old.
        #expect(numbers.accept(count + 1, at: 1) == false)
        let later = Int64(RequestNumbers.window) + Int64(count) + 1
        #expect(numbers.accept(count + 1, at: later) == true)
        // The clock is set back.
        #expect(!numbers.accept(count, at: 1) && !numbers.accept(1, at: 1) && numbers.accept(count + 2, at: 1))
    }

    @Test func authorizationIsReadToTheLetter() throws {
        let good = try #require(GuestAuthorization(header: "Tutti-Guest be45cb2605bf 17 abc"))
        #expect(good.id.hex == "be45cb2605bf" && good.number == 17 && good.mac == "abc")
        #expect(GuestAuthorization(header: "tutti-guest be45cb2605bf 17 abc") == good)
        for header in [
            "", "Basic abc", "Tutti-Guest be45cb2605bf 17", "Tutti-Guest BE45CB2605BF 17 abc",
            "Tutti-Guest be45cb2605bf -1 abc", "Tutti-Guest be45cb2605bf +1 abc",
            "Tutti-Guest be45cb2605bf 99999999999999999999 abc", "Tutti-Guest be45cb2605bf 1 abc def",
        ] {
            #expect(GuestAuthorization(header: header) == nil, "\(header)")
        }
    }
}
