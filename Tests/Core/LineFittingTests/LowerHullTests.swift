import LineFitting
import Testing

@Suite(.timeLimit(.minutes(5))) struct LowerHullTests {
    /// The same as the minimum over all points, whatever the slope.
    @Test func supportIsThatOfAllPoints() {
        var state: UInt64 = 7
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) * 0x1p-53
        }
        var hull = LowerHull(capacity: 300)
        for count in [1, 2, 3, 50, 300] {
            hull.removeAll()
            var points: [(x: Double, y: Double)] = []
            var x = -100.0
            for _ in 0..<count {
                x += random()
                points.append((x, random() * 40))
                hull.append(x: x, y: points[points.count - 1].y)
            }
            for slope in [-3.0, -0.2, 0, 0.01, 5] {
                let lowest = points.map { $0.y - slope * $0.x }.min()
                #expect(hull.support(slope: slope) == lowest)
            }
        }
    }

    @Test func withoutPointsThereIsNoSupport() {
        let hull = LowerHull(capacity: 0)
        #expect(hull.support(slope: 1) == .infinity)
    }
}
