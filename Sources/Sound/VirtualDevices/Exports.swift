// What the devices' public interface speaks of: formats and times, what a device is.

@_exported import AudioCore
@_exported import Playout
