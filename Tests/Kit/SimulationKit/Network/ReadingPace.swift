import AudioCore

/// How fast the processes of a machine read what has arrived for them.
struct ReadingPace {
    /// Nil: at once.
    var bytesPerSecond: Double?
    /// Nothing is read before.
    var stopsUntil = TrueTime.start

    /// Whether what arrives now is read at once.
    func isWake(_ now: TrueTime) -> Bool { bytesPerSecond == nil && stopsUntil <= now }

    /// When bytes are read, those before them having been read by `earliest`.
    func time(of byteCount: Int, after earliest: TrueTime) -> TrueTime {
        let start = max(earliest, stopsUntil)
        guard let bytesPerSecond else { return start }
        return start + TimeSpan(seconds: Double(byteCount) / bytesPerSecond)
    }
}

extension VirtualNetwork {
    /// From now on the machine's process reads from its connections no faster than this; nil: at once, as it should.
    public func setReadingRate(_ bytesPerSecond: Double?, of machine: VirtualMachine) {
        attachment(of: machine)?.reading.bytesPerSecond = bytesPerSecond
        changeReadingPace(on: machine)
    }

    /// The machine's process reads nothing for this long, while all else of it runs.
    public func stopReading(on machine: VirtualMachine, for span: TimeSpan) {
        attachment(of: machine)?.reading.stopsUntil = loop.now + span
        changeReadingPace(on: machine)
    }

    private func changeReadingPace(on machine: VirtualMachine) {
        for endpoint in attachment(of: machine)?.endpoints ?? [] { endpoint.changeReadingPace() }
    }
}
