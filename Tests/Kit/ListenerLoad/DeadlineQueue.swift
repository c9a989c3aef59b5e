import AudioCore

/// Numbers in the order of their deadlines: a binary heap.
struct DeadlineQueue {
    private var heap: [(deadline: HostTime, number: Int)] = []

    var first: (deadline: HostTime, number: Int)? { heap.first }

    mutating func insert(_ number: Int, at deadline: HostTime) {
        heap.append((deadline, number))
        var child = heap.count - 1
        while child > 0, heap[child].deadline < heap[(child - 1) / 2].deadline {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].deadline < heap[least].deadline { least = child }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
