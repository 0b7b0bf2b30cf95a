// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What one piece of a stream is, on its way over a virtual link.
struct VirtualMessage {
  enum Kind { case key, picture, sound }
  var kind: Kind
  var capturedAt: Double
  var bytes: Double
  /// How good its picture is, 0 to 1.
  var quality: Double
  /// Counts the pictures: each needs the one before it, but a key picture.
  var number = 0
  /// Where in the connection's bytes it ends; set when it is handed to the kernel.
  var end = Double.infinity
}

/// A TCP connection over one bottleneck. Seconds, bytes, kbit/s; no packets: what TCP keeps in flight fills the
/// bottleneck's queue, as loss-based congestion control does.
struct VirtualLink {
  /// The bottleneck's rate at a time.
  let kbps: (Double) -> Double
  /// The bottleneck's queue.
  let queueBytes: Double
  let roundTrip: Double
  /// What the kernel takes beyond what is in flight.
  let kernelBytes: Double

  private(set) var handed = 0.0
  private(set) var entered = 0.0
  private(set) var arrived = 0.0
  private var onTheWay: [VirtualMessage] = []
  private var head = 0
  /// What had arrived when, for as long as an acknowledgement takes.
  private var acknowledgements: [(at: Double, bytes: Double)] = []
  private var acknowledgementHead = 0
  private(set) var acknowledged = 0.0

  init(
    kbps: @escaping (Double) -> Double, queueBytes: Double, roundTrip: Double, kernelBytes: Double
  ) {
    self.kbps = kbps
    self.queueBytes = queueBytes
    self.roundTrip = roundTrip
    self.kernelBytes = kernelBytes
  }

  /// Whether the kernel takes another message.
  var hasRoom: Bool { handed - entered < kernelBytes }
  var underWay: Double { handed - acknowledged }

  /// When the oldest message that is not known to have arrived was captured.
  var oldest: Double? {
    onTheWay[head...].first { $0.end > acknowledged }?.capturedAt
  }

  mutating func hand(_ message: VirtualMessage) {
    var message = message
    handed += message.bytes
    message.end = handed
    onTheWay.append(message)
  }

  /// Lets time pass.
  /// - Parameter deliver: told of each message that has come to the server.
  mutating func step(to now: Double, by seconds: Double, deliver: (VirtualMessage) -> Void) {
    let rate = kbps(now) * 125
    let inFlight = queueBytes + rate * roundTrip + 3_000
    entered = max(entered, min(handed, arrived + inFlight))
    arrived = min(entered, arrived + rate * seconds)
    entered = max(entered, min(handed, arrived + inFlight))
    acknowledgements.append((now + roundTrip, arrived))
    while acknowledgementHead < acknowledgements.count,
      acknowledgements[acknowledgementHead].at <= now
    {
      acknowledged = acknowledgements[acknowledgementHead].bytes
      acknowledgementHead += 1
    }
    while head < onTheWay.count, onTheWay[head].end <= arrived {
      deliver(onTheWay[head])
      head += 1
    }
    if head > 4_096 {
      // What is delivered but not yet acknowledged is so recent that it does not count.
      onTheWay.removeFirst(head)
      head = 0
    }
    if acknowledgementHead > 65_536 {
      acknowledgements.removeFirst(acknowledgementHead)
      acknowledgementHead = 0
    }
  }
}
