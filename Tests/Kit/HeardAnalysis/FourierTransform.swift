import Glibc

/// A radix-2 complex Fourier transform of a fixed size, in place; what long correlations are made with.
struct FourierTransform {
    let count: Int
    private let cosines: [Float]
    private let sines: [Float]

    /// - Parameter count: a power of two.
    init(count: Int) {
        precondition(count > 1 && count & (count - 1) == 0)
        self.count = count
        let angles = (0..<count / 2).map { -2 * Double.pi * Double($0) / Double(count) }
        cosines = angles.map { Float(cos($0)) }
        sines = angles.map { Float(sin($0)) }
    }

    func forward(_ real: inout [Float], _ imaginary: inout [Float]) {
        precondition(real.count == count && imaginary.count == count)
        real.withUnsafeMutableBufferPointer { re in
            imaginary.withUnsafeMutableBufferPointer { im in
                cosines.withUnsafeBufferPointer { cosines in
                    sines.withUnsafeBufferPointer { sines in
                        reverseBits(re.baseAddress!, im.baseAddress!)
                        butterflies(re.baseAddress!, im.baseAddress!, cosines.baseAddress!, sines.baseAddress!)
                    }
                }
            }
        }
    }

    private func reverseBits(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>) {
        var mirrored = 0
        var index = 1
        while index < count {
            var bit = count >> 1
            while mirrored & bit != 0 {
                mirrored ^= bit
                bit >>= 1
            }
            mirrored ^= bit
            if index < mirrored {
                (re[index], re[mirrored]) = (re[mirrored], re[index])
                (im[index], im[mirrored]) = (im[mirrored], im[index])
            }
            index &+= 1
        }
    }

    private func butterflies(
        _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>, _ cosines: UnsafePointer<Float>,
        _ sines: UnsafePointer<Float>
    ) {
        var half = 1
        while half < count {
            let stride = count / (half &* 2)
            var block = 0
            while block < count {
                var k = 0
                while k < half {
                    let (c, s) = (cosines[k &* stride], sines[k &* stride])
                    let (a, b) = (block &+ k, block &+ k &+ half)
                    let x = re[b] * c - im[b] * s
                    let y = re[b] * s + im[b] * c
                    re[b] = re[a] - x
                    im[b] = im[a] - y
                    re[a] += x
                    im[a] += y
                    k &+= 1
                }
                block &+= half &* 2
            }
            half &*= 2
        }
    }
}

/// `result[lag] = sum over n of short[n] * long[n + lag]`, for every lag at which `short` lies wholly inside `long`.
func correlate(_ short: [Float], along long: [Float]) -> [Float] {
    let lags = long.count - short.count + 1
    guard lags > 0, !short.isEmpty else { return [] }
    var size = 2
    while size < long.count { size *= 2 }
    let transform = FourierTransform(count: size)

    // Both real signals in one transform: the real part is `long`, the imaginary part is `short`.
    var re = long + [Float](repeating: 0, count: size - long.count)
    var im = short + [Float](repeating: 0, count: size - short.count)
    transform.forward(&re, &im)
    var productRe = [Float](repeating: 0, count: size)
    var productIm = [Float](repeating: 0, count: size)
    for k in 0..<size {
        let m = (size - k) & (size - 1)
        let (longRe, longIm) = ((re[k] + re[m]) / 2, (im[k] - im[m]) / 2)
        let (shortRe, shortIm) = ((im[k] + im[m]) / 2, (re[m] - re[k]) / 2)
        productRe[k] = longRe * shortRe + longIm * shortIm
        productIm[k] = -(longIm * shortRe - longRe * shortIm)
    }
    // The conjugate went in, so the forward transform inverts; the result is real.
    transform.forward(&productRe, &productIm)
    let scale = 1 / Float(size)
    return (0..<lags).map { productRe[$0] * scale }
}
