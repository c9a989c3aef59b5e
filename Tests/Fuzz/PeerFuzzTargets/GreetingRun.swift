/// Whole sessions and those who connect to them: the first byte says whether they meet a broadcaster or a listener.
struct GreetingRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        var reader = InputReader(input)
        let isListener = reader.byte() & 1 != 0
        let setting = reader.byte()
        return isListener
            ? ListenRun(setting: setting).violation(&reader) : BroadcastRun(setting: setting).violation(&reader)
    }
}
