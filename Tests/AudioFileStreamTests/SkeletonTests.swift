import Testing

@testable import AudioFileStream
