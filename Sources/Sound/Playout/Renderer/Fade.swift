import AudioCore
import Glibc

/// A gain that moves from one value to another along half a period of a cosine, and stays there.
///
/// A raised cosine has no corner at either end, so it is the shortest fade without a click.
struct Fade: BitwiseCopyable {
    private(set) var from: Float = 1
    private(set) var to: Float = 1
    private(set) var length = 0
    private(set) var done = 0

    static let silent = Fade(from: 0, to: 0, length: 0)
    static let open = Fade(from: 1, to: 1, length: 0)

    init(from: Float, to: Float, length: Int) {
        self.from = from
        self.to = to
        self.length = max(0, length)
    }

    var isDone: Bool { done >= length }
    var remaining: Int { length - done }
    /// Whether the gain is 1 from here on.
    var isUnity: Bool { isDone && to == 1 }

    @inline(__always)
    func gain(at frame: Int) -> Float {
        let index = done + frame
        guard index < length else { return to }
        let x = (Float(index) + 0.5) / Float(length)
        return from + (to - from) * (0.5 - 0.5 * cosf(.pi * x))
    }

    /// The same fade, some frames later.
    func advanced(by frames: Int) -> Fade {
        var later = self
        later.done = min(length, done + frames)
        return later
    }

    /// A fade to `target` from where this one is.
    func turning(to target: Float, length: Int) -> Fade { Fade(from: gain(at: 0), to: target, length: length) }
}

/// The volume: linear from one value to another, then steady.
struct VolumeRamp: BitwiseCopyable {
    private(set) var from: Float
    private(set) var to: Float
    private(set) var length = 0
    private(set) var done = 0

    init(_ gain: Float) {
        from = gain
        to = gain
    }

    var isDone: Bool { done >= length }
    var remaining: Int { length - done }
    var isUnity: Bool { isDone && to == 1 }

    @inline(__always)
    func gain(at frame: Int) -> Float {
        let index = done + frame
        guard index < length else { return to }
        return from + (to - from) * (Float(index + 1) / Float(length))
    }

    func advanced(by frames: Int) -> VolumeRamp {
        var later = self
        later.done = min(length, done + frames)
        return later
    }

    func turning(to target: Float, length: Int) -> VolumeRamp {
        var ramp = VolumeRamp(target)
        ramp.from = isDone ? to : from + (to - from) * (Float(done) / Float(self.length))
        ramp.length = max(0, length)
        return ramp
    }
}

/// The channel role: one, or two while one cross-fades into the other.
struct RoleFade: BitwiseCopyable {
    private(set) var from: ChannelRole
    private(set) var to: ChannelRole
    /// The weight of `to`.
    private var fade = Fade.open

    init(_ role: ChannelRole) {
        from = role
        to = role
    }

    var isDone: Bool { fade.isDone }
    var remaining: Int { fade.remaining }

    @inline(__always)
    func weight(at frame: Int) -> Float { fade.gain(at: frame) }

    func advanced(by frames: Int) -> RoleFade {
        var later = self
        later.fade = fade.advanced(by: frames)
        return later
    }

    /// A cross-fade to another role; this one is done.
    func turning(to role: ChannelRole, length: Int) -> RoleFade {
        var turned = RoleFade(role)
        turned.from = to
        turned.fade = Fade(from: 0, to: 1, length: length)
        return turned
    }
}
