import Testing

@testable import MPEGDecoding
