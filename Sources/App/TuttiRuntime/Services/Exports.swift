// Types of other modules that the public API here names: `import TuttiRuntime` is enough to use it. Times, rates, formats
// and a listener's figures are AudioCore's.
@_exported import AudioCore
@_exported import enum AudioDecoding.AudioDecodingError
@_exported import enum AudioFileWriting.AudioFileWritingError
@_exported import enum AudioQueue.AudioQueueError
@_exported import enum AudioQueue.InputLossCause
@_exported import enum Broadcasting.BroadcastNotice
@_exported import struct Capture.InputDeviceError
@_exported import struct ClockExchange.ClockExchangeError
@_exported import enum Listening.ListenFailure
@_exported import enum Listening.ListenNotice
@_exported import enum Observing.ObserveNotice
@_exported import enum Observing.ObserveRefusal
@_exported import struct Observing.SyncFinding
@_exported import enum PeerDiscovery.DiscoveryFailure
@_exported import enum Playout.OutputDeviceError
@_exported import enum Playout.ReplacementCause
@_exported import struct SongReading.RawPCMFormat
@_exported import struct SongReading.RawPCMFormatError
@_exported import struct SongReading.SongFacts
@_exported import struct SongReading.SongFailure
@_exported import enum TimelineRecording.RecordingFailure
@_exported import struct WireProtocol.Refusal
