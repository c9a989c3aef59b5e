// What the queues' public interface speaks of: formats and times, decoders, host time, devices.

@_exported import AudioCore
@_exported import AudioDecoding
@_exported import HostSystem
@_exported import Playout
