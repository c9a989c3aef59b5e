// Types of other modules that the public API here names: `import TuttiRuntime` is enough to use it.

@_exported import AudioCore
@_exported import enum AudioDecoding.AudioDecodingError
@_exported import enum AudioFileWriting.AudioFileWritingError
@_exported import enum AudioQueueServices.InputLossCause
@_exported import enum AudioQueueServices.TimelineQueueError
@_exported import enum Broadcasting.BroadcastNotice
@_exported import struct ClockExchange.ClockExchangeError
@_exported import enum Discovery.DiscoveryFailure
@_exported import enum Listening.ListenFailure
@_exported import enum Listening.ListenNotice
@_exported import enum Observing.ObserveNotice
@_exported import enum Observing.ObserveRefusal
@_exported import struct Observing.SyncFinding
@_exported import struct Peering.NetworkAddress
@_exported import struct Playout.InputDeviceError
@_exported import enum Playout.OutputDeviceError
@_exported import enum Playout.ReplacementCause
@_exported import enum Recording.RecordingFailure
@_exported import struct Songs.RawPCMFormat
@_exported import struct Songs.RawPCMFormatError
@_exported import struct Songs.SongFacts
@_exported import struct Songs.SongFailure
@_exported import struct WireProtocol.CommandOutcome
@_exported import enum WireProtocol.CommandRefusal
@_exported import struct WireProtocol.ListenerCounters
@_exported import enum WireProtocol.ListenerState
@_exported import struct WireProtocol.ListenerTiming
@_exported import struct WireProtocol.PeerRoles
@_exported import struct WireProtocol.PlayModes
@_exported import enum WireProtocol.ProgrammeOperation
@_exported import struct WireProtocol.Refusal
@_exported import enum WireProtocol.RepeatMode
@_exported import struct WireProtocol.UUIDBytes
