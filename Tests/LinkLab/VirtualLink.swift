// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A video or audio packet on a virtual link.
struct VirtualMessage {
  enum Kind { case key, picture, sound }
  var kind: Kind
  var capturedAt: Double
  var bytes: Double
  /// Quality of its frame, 0 to 1.
  var quality: Double
  /// Number of the frame. Each frame but a keyframe needs the one before it.
  var number = 0
  /// Position of its last byte in the connection; set when it is handed to the kernel.
  var end = Double.infinity
}

/// A TCP connection over one bottleneck, in seconds, bytes and kbit/s. TCP fills the bottleneck's queue, as
/// loss-based congestion control does. Segments are not simulated.
struct VirtualLink {
  /// Capacity of the bottleneck at a time.
  let kbps: (Double) -> Double
  /// Queue of the bottleneck.
  let queueBytes: Double
  let roundTrip: Double
  /// Bytes that the kernel queues beyond those in flight.
  let kernelBytes: Double

  /// Bytes that a shaper saves up while the link is idle, and passes at once.
  var bucketBytes = 0.0
  private var saved = 0.0

  private(set) var handed = 0.0
  private(set) var entered = 0.0
  private(set) var arrived = 0.0
  private var inFlight: [VirtualMessage] = []
  private var head = 0
  /// Acknowledgements that are on their way back.
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

  /// The kernel accepts another message.
  var hasRoom: Bool { handed - entered < kernelBytes }
  var underWay: Double { handed - acknowledged }

  /// Capture time of the oldest unacknowledged message.
  var oldest: Double? {
    inFlight[head...].first { $0.end > acknowledged }?.capturedAt
  }

  mutating func hand(_ message: VirtualMessage) {
    var message = message
    handed += message.bytes
    message.end = handed
    inFlight.append(message)
  }

  /// Lets time pass.
  /// - Parameter deliver: called with each message that reaches the server.
  mutating func step(to now: Double, by seconds: Double, deliver: (VirtualMessage) -> Void) {
    let rate = kbps(now) * 125
    let window = queueBytes + rate * roundTrip + 3_000
    entered = max(entered, min(handed, arrived + window))
    let passed = min(entered - arrived, rate * seconds + saved)
    saved = min(bucketBytes, max(0, saved + rate * seconds - passed))
    arrived += passed
    entered = max(entered, min(handed, arrived + window))
    acknowledgements.append((now + roundTrip, arrived))
    while acknowledgementHead < acknowledgements.count,
      acknowledgements[acknowledgementHead].at <= now
    {
      acknowledged = acknowledgements[acknowledgementHead].bytes
      acknowledgementHead += 1
    }
    while head < inFlight.count, inFlight[head].end <= arrived {
      deliver(inFlight[head])
      head += 1
    }
    if head > 4_096 {
      // Messages that are delivered but not yet acknowledged are too recent to matter.
      inFlight.removeFirst(head)
      head = 0
    }
    if acknowledgementHead > 65_536 {
      acknowledgements.removeFirst(acknowledgementHead)
      acknowledgementHead = 0
    }
  }
}
