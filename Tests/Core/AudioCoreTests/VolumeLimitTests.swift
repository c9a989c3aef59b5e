import AudioCore
import Testing

/// Quiet hours and the highest volume, by clocks that the tests set.
@Suite(.timeLimit(.minutes(5))) struct VolumeLimitTests {
    private func minute(_ text: String) throws -> MinuteOfDay { try #require(MinuteOfDay(text)) }

    private func hours(_ text: String) throws -> QuietHours { try #require(QuietHours(text)) }

    private func limit(_ highest: Int, _ hours: String...) throws -> VolumeLimit {
        VolumeLimit(highest: Volume(percent: highest), quietHours: try hours.map { try self.hours($0) })
    }

    /// What the clock says of a limit, shown at each of these times: the volume, and until when it is a quiet one.
    private func readings(_ limit: VolumeLimit, _ times: String...) throws -> [String] {
        try times.map { time in
            let ceiling = limit.ceiling(at: try minute(time))
            let end = ceiling.quietEnd.map { " until \($0)" } ?? (ceiling.isQuiet ? " for ever" : "")
            return "\(ceiling.volume.percent)\(end)"
        }
    }

    // MARK: Times of day

    @Test func timesOfDayAreRead() throws {
        #expect(try minute("7:05") == MinuteOfDay(425) && minute("07:05").description == "07:05")
        #expect(try minute("00:00").number == 0 && minute("23:59").number == 1_439)
        let broken = [
            "", ":", "7", "7:5", "24:00", "12:60", "-1:00", "+1:00", "1:+1", "007:00", "1:000", "7:00 ", ":00", "a:bc",
        ]
        for text in broken { #expect(MinuteOfDay(text) == nil, "\(text)") }
    }

    @Test func theClockGoesRound() {
        #expect(MinuteOfDay(1_440).number == 0 && MinuteOfDay(-1).number == 1_439)
        #expect(MinuteOfDay(.max).number < 1_440 && MinuteOfDay(.min).number >= 0)
        #expect(MinuteOfDay(1_430).minutes(until: MinuteOfDay(5)) == 15)
        #expect(MinuteOfDay(5).minutes(until: MinuteOfDay(5)) == 0)
    }

    // MARK: Songs

    @Test func underALimitNoSongIsLifted() throws {
        #expect(VolumeLimit.none.gain(of: 16) == 16 && VolumeLimit.none.gain(of: 0.5) == 0.5)
        for some in [try limit(50), try limit(100, "22:00-07:00=20")] {
            #expect(some.gain(of: 16) == 1 && some.gain(of: 1) == 1 && some.gain(of: 0.5) == 0.5)
        }
    }

    // MARK: Quiet hours

    @Test func quietHoursAreRead() throws {
        #expect(try hours("22:00-7:00").highest == .silent)
        #expect(try hours("22:00-07:00=20").description == "22:00-07:00=20")
        #expect(try hours("00:00-23:59=100").highest == .full)
        let broken = [
            "", "-", "=", "=20", "22:00", "22:00-", "-07:00", "22:00-22:00", "22:00-07:00=", "22:00-07:00=101",
            "22:00-07:00=+20", "22:00-07:00=20%", "22:00-07:00=20=20", "22:00-07:00-08:00", "22:00 - 07:00",
            "22:00-07:00=99999999999999999999",
        ]
        for text in broken { #expect(QuietHours(text) == nil, "\(text)") }
    }

    @Test func hoursOfOneDayAndOverMidnight() throws {
        let noon = try hours("13:00-14:30")
        let night = try hours("22:00-07:00")
        let isQuiet: [(time: String, noon: Bool, night: Bool)] = [
            ("00:00", false, true), ("06:59", false, true), ("07:00", false, false), ("12:59", false, false),
            ("13:00", true, false), ("14:29", true, false), ("14:30", false, false), ("21:59", false, false),
            ("22:00", false, true), ("23:59", false, true),
        ]
        for expected in isQuiet {
            let now = try minute(expected.time)
            #expect(noon.contains(now) == expected.noon && night.contains(now) == expected.night, "\(expected.time)")
        }
        #expect(try night.nextChange(after: minute("23:00")).description == "07:00")
        #expect(try night.nextChange(after: minute("07:00")).description == "22:00")
    }

    /// Every minute of the day is quiet in exactly one of two halves.
    @Test func aSpanAndItsRestMakeADay() throws {
        let (first, second) = (try hours("05:10-20:40"), try hours("20:40-05:10"))
        for number in 0..<1_440 {
            let now = MinuteOfDay(number)
            #expect(first.contains(now) != second.contains(now))
            #expect(first.nextChange(after: now) == second.nextChange(after: now))
        }
    }

    // MARK: Limits

    @Test func withoutALimitAnyVolumeMayBeHad() throws {
        for time in ["00:00", "12:00"] { #expect(try VolumeLimit.none.ceiling(at: minute(time)) == .none) }
        #expect(!VolumeCeiling.none.isReached(by: .full))
        #expect(VolumeCeiling(Volume(percent: 50)).isReached(by: Volume(percent: 50)))
        #expect(!VolumeCeiling(Volume(percent: 50)).isReached(by: Volume(percent: 49)))
    }

    @Test func quietHoursComeAndGo() throws {
        let limit = try limit(60, "22:00-07:00=20")
        #expect(
            try readings(limit, "21:59", "22:00", "03:00", "06:59", "07:00")
                == ["60", "20 until 07:00", "20 until 07:00", "20 until 07:00", "60"])
    }

    @Test func ofSpansThatOverlapTheLowestCounts() throws {
        let limit = try limit(100, "22:00-07:00=20", "23:00-06:00", "06:30-08:00=40")
        #expect(
            try readings(limit, "22:30", "23:00", "05:59", "06:00", "06:45", "07:00", "08:00")
                == [
                    "20 until 23:00", "0 until 06:00", "0 until 06:00", "20 until 07:00", "20 until 07:00",
                    "40 until 08:00", "100",
                ])
    }

    /// Two spans that touch are one, and those that make a day never end.
    @Test func spansThatTouchAreOne() throws {
        #expect(try readings(try limit(100, "20:00-22:00=10", "22:00-02:00=10"), "21:00") == ["10 until 02:00"])
        let wholeDay = try limit(100, "00:00-12:00=5", "12:00-00:00=5")
        #expect(try readings(wholeDay, "00:00", "12:00") == ["5 for ever", "5 for ever"])
    }

    @Test func quietHoursDoNotRaiseTheLimit() throws {
        #expect(try readings(try limit(15, "22:00-07:00=20"), "23:00", "12:00") == ["15", "15"])
    }

    /// In spring the clock goes from 01:59 to 03:00, in autumn from 02:59 to 02:00; and somebody may set it.
    @Test func onlyWhatTheClockShowsCounts() throws {
        let limit = try limit(100, "02:30-04:00=10")
        #expect(
            try readings(limit, "01:59", "03:00", "03:59", "04:00")
                == ["100", "10 until 04:00", "10 until 04:00", "100"])
        #expect(
            try readings(limit, "02:29", "02:30", "02:59", "02:00", "02:29", "02:30")
                == ["100", "10 until 04:00", "10 until 04:00", "100", "100", "10 until 04:00"])
        // Hours that lie within what spring leaves out do not come.
        #expect(try readings(try self.limit(100, "02:10-02:50"), "01:59", "03:00") == ["100", "100"])
        #expect(try readings(limit, "12:00", "02:45", "23:00") == ["100", "10 until 04:00", "100"])
    }
}
