import Glibc

func sine(_ x: Double) -> Double { sin(x) }
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-20)) }
func logarithm(_ x: Double) -> Double { log(x) }
func power(_ x: Double, _ y: Double) -> Double { pow(x, y) }
