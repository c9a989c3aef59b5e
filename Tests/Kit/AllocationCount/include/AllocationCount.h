#pragma once

/// How often memory was asked for in this process. Who links this target has its allocator.
unsigned long allocation_count(void);
