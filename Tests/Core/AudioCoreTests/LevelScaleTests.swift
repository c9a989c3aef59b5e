import Testing

@testable import AudioCore

/// Levels as bytes.
@Suite(.timeLimit(.minutes(5))) struct LevelScaleTests {
    @Test func theEnds() {
        #expect(LevelScale.decibels(of: 0) == nil)
        #expect(LevelScale.decibels(of: 1) == -127 && LevelScale.decibels(of: 254) == -0.5)
        #expect(LevelScale.decibels(of: 255) == 0)
        for power in [0, -1, -.infinity, .nan, 1e-13] as [Double] { #expect(LevelScale.byte(ofPower: power) == 0) }
        for power in [1, 0.95, 1e30, .infinity] as [Double] { #expect(LevelScale.byte(ofPower: power) == 255) }
        #expect(LevelScale.power(of: 255) == 1 && LevelScale.power(of: 0) == 0)
    }

    @Test func everyByteComesBack() {
        for byte in UInt8.min...UInt8.max { #expect(LevelScale.byte(ofPower: LevelScale.power(of: byte)) == byte) }
    }

    /// 20 dB are a power of a hundred, and forty bytes.
    @Test func decibelsAreThoseOfThePower() {
        for (byte, power) in [(215, 1e-2), (175, 1e-4), (135, 1e-6), (95, 1e-8), (55, 1e-10), (15, 1e-12)] {
            #expect(LevelScale.byte(ofPower: power) == byte)
            #expect(LevelScale.decibels(of: UInt8(byte)) == Double(byte - 255) / 2)
            #expect(abs(LevelScale.power(of: UInt8(byte)) / power - 1) < 1e-12)
        }
    }

    @Test func levelsAreRoundedToTheNearestStep() {
        // A quarter of a decibel in power.
        let quarter = 1.059_253_725
        for byte in 1...254 {
            let power = LevelScale.power(of: UInt8(byte))
            #expect(LevelScale.byte(ofPower: power * (quarter - 1e-6)) == byte)
            #expect(LevelScale.byte(ofPower: power * (quarter + 1e-6)) == byte + 1)
            #expect(LevelScale.byte(ofPower: power / (quarter - 1e-6)) == byte)
            #expect(LevelScale.byte(ofPower: power / (quarter + 1e-6)) == byte - 1)
        }
    }
}
