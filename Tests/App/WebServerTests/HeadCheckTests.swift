import NIOHTTP1
import Testing

@testable import WebServer

/// Who may ask: pages of this site and programs; by an address or a name of this machine.
@Suite(.timeLimit(.minutes(5))) struct HeadCheckTests {
    private let check = HeadCheck(names: ["Kitchen", "music.example.org"])

    private func status(_ headers: [(String, String)], _ method: HTTPMethod = .GET, _ uri: String = "/") -> Int {
        do throws(WebRefusal) {
            _ = try check.request(
                HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(headers)), from: "::1"
            )
            return 200
        } catch {
            #expect(!error.reason.isEmpty && !error.reason.contains("\n"))
            return error.status.code
        }
    }

    @Test(arguments: [
        "kitchen", "KITCHEN:28885", "kitchen.local", "kitchen.local.:80", "localhost:1", "music.example.org",
        "192.168.1.5", "192.168.1.5:28885", "[::1]:28885", "[fe80::1%25eth0]:28885", "[2001:db8::1]", "localhost:",
    ])
    func ownNamesAndAddressesAreAccepted(host: String) { #expect(status([("Host", host)]) == 200) }

    /// A foreign page whose name is made to lead here names itself.
    @Test(arguments: [
        "evil.example", "kitchen.evil.example", "kitchen.local.evil.example:28885", "music.example.org.local", "local",
        "localhost.evil.example", "192.168.1.5.evil.example", "1.2.3",
    ])
    func otherNamesAreMisdirected(host: String) { #expect(status([("Host", host)]) == 421) }

    @Test(arguments: [
        "", ":80", "a b", "kitchen:x", "kitchen:70000", "[::1", "[kitchen]", "::1", "user@kitchen", "kitchen/",
        "[::1]x",
        "kitchen:-1", "kitchen, kitchen", "[1.2.3.4]", ".",
    ])
    func whatIsNoHostIsRefused(host: String) { #expect(status([("Host", host)]) == 400) }

    @Test func oneHostIsNeeded() {
        #expect(status([]) == 400)
        #expect(status([("Host", "kitchen"), ("Host", "kitchen")]) == 400)
    }

    @Test(arguments: [
        ("kitchen:28885", "http://kitchen:28885"), ("Kitchen", "http://kitchen"), ("kitchen:80", "http://kitchen"),
        ("192.168.1.5:28885", "http://192.168.1.5:28885"), ("[::1]:5", "http://[::1]:5"),
    ])
    func theOwnPageMayAsk(host: String, origin: String) {
        #expect(status([("Host", host), ("Origin", origin)], .POST) == 200)
    }

    @Test(arguments: [
        "null", "", "http://evil.example", "https://kitchen:28885", "http://kitchen", "http://kitchen:28886",
        "http://kitchen.local:28885", "http://kitchen:28885/", "kitchen:28885", "file://", "http://kitchen:28885@x",
    ])
    func otherPagesMayNot(origin: String) {
        #expect(status([("Host", "kitchen:28885"), ("Origin", origin)]) == 403)
        #expect(status([("Host", "kitchen:28885"), ("Origin", origin)], .POST) == 403)
    }

    @Test func twoOriginsAreNone() {
        let own = ("Origin", "http://kitchen")
        #expect(status([("Host", "kitchen"), own, own]) == 403)
    }

    @Test(arguments: [("cross-site", 403), ("Cross-Site", 403), ("same-origin", 200), ("none", 200)])
    func whatABrowserSaysOfThePageCounts(site: String, expected: Int) {
        #expect(status([("Host", "kitchen"), ("Sec-Fetch-Site", site)]) == expected)
    }

    /// As a message's link to the page does in another site.
    @Test func aLinkOfAnotherSiteMayBeFollowedAndNothingElse() {
        func status(_ mode: String, _ destination: String, _ method: HTTPMethod = .GET) -> Int {
            self.status(
                [
                    ("Host", "kitchen"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", mode),
                    ("Sec-Fetch-Dest", destination),
                ], method)
        }
        #expect(status("navigate", "document") == 200 && status("navigate", "document", .HEAD) == 200)
        #expect(status("navigate", "document", .POST) == 403 && status("navigate", "iframe") == 403)
        #expect(status("no-cors", "image") == 403 && status("websocket", "empty") == 403)
    }

    @Test func bodiesEndInOneWay() {
        let host = ("Host", "kitchen")
        #expect(status([host, ("Content-Length", "5"), ("Transfer-Encoding", "chunked")], .POST) == 400)
        #expect(status([host, ("Transfer-Encoding", "gzip, chunked")], .POST) == 501)
        #expect(status([host, ("Transfer-Encoding", "Chunked")], .POST) == 200)
    }

    /// A wildcard stands for one label, and a machine's short names are no certificate's.
    @Test func certificatesProveNames() {
        let names = HostNames(own: ["Kitchen"], proven: ["music.example.org", "*.example.net", "short"])
        for name in ["kitchen", "kitchen.local", "localhost", "music.example.org", "a.example.net", "short"] {
            #expect(names.contains(name), "\(name)")
        }
        for name in ["example.net", ".example.net", "a.b.example.net", "short.local", "a.music.example.org", "net", ""]
        {
            #expect(!names.contains(name), "\(name)")
        }
    }

    @Test(arguments: [HTTPMethod.CONNECT, .TRACE, .MKCOL, .RAW(value: "PRI")])
    func otherMethodsAreNotThere(method: HTTPMethod) { #expect(status([("Host", "kitchen")], method) == 501) }

    @Test func aRequestSaysWhatWasAsked() throws {
        let head = HTTPRequestHead(
            version: .http1_1, method: .HEAD, uri: "/a%20b?x=1",
            headers: ["Host": "KITCHEN:28885", "X-Thing": "y", "Cookie": "z"])
        let request = try check.request(head, from: "192.0.2.1")
        #expect(request.method == "GET" && request.isHead)
        #expect(request.path == "/a b" && request.target == "/a%20b?x=1")
        #expect(request.query("x") == "1" && request.query("y") == nil)
        #expect(request.header("x-thing") == "y" && request.header("z") == nil)
        #expect(request.authority == "kitchen:28885")
        #expect(request.host == "kitchen" && request.address == "192.0.2.1")
    }
}
