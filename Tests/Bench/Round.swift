// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media

/// The figures of one program in one round.
struct Round: Sendable {
  /// CPU time per frame that arrived, in steady state.
  var processorMs = 0.0
  /// Delay of each frame: from its last byte in the pipe to the last byte of its packet at the server.
  var delaysMs: [Double] = []
  /// Time that each frame spent in x264, if the program reports it.
  var encodeMs: [Double] = []
  /// Time from the program's start to its first frame at the server.
  var startMs = 0.0
  var peakMemoryMB = 0.0
  var videoKbps = 0.0
  /// Frames that were fed but never arrived.
  var lost = 0
  /// Decoded frames that repeat a number or show none.
  var extra = 0
  var settings = ""
}

struct Track {
  let scene: Scene
  let tools: Tools
  /// Folder for logs and for files of the programs.
  let work: String
  /// Duration of each measurement.
  let seconds: Int

  /// Time after the first frame that is not measured: caches fill, and x264's rate control settles.
  private static let settle: Int64 = .seconds(2)

  /// Runs one program until its first frame has arrived.
  func warmUp(_ contender: Contender) throws {
    let server = try Server(contender.language)
    defer { server.end() }
    let child = try start(contender, server)
    let feeder = Feeder(scene: scene, descriptor: child.input)
    feeder.start()
    defer { end(child, feeder) }
    _ = try waitForPicture(server, child, contender)
  }

  private func start(_ contender: Contender, _ server: Server) throws -> Child {
    try Child(
      contender.command(port: server.port, tools: tools, work: work),
      log: "\(work)/\(contender.rawValue).log")
  }

  /// Measures one program.
  func run(_ contender: Contender) throws -> Round {
    let server = try Server(contender.language)
    defer { server.end() }
    let child = try start(contender, server)
    let feeder = Feeder(scene: scene, descriptor: child.input)
    feeder.start()
    var ended = false
    defer { if !ended { end(child, feeder) } }

    let first = try waitForPicture(server, child, contender)
    (first + Track.settle).sleepUntil()
    let begun = MediaTime.now()
    let processorBefore = child.processorNanos
    (begun + .seconds(Int64(seconds))).sleepUntil()
    let over = MediaTime.now()
    let processor = child.processorNanos - processorBefore
    // The last frames may still be in flight.
    (over + .milliseconds(500)).sleepUntil()
    guard child.isRunning, processor > 0 else {
      throw Child.Failed(
        description: "\(contender.rawValue) has ended: see \(work)/\(contender.rawValue).log")
    }
    var round = Round()
    round.peakMemoryMB = Double(child.peakMemoryKB) / 1024
    ended = true
    let lastByteIn = end(child, feeder)
    round.startMs = Double(first - child.startedAt) / 1e6
    try judge(server.received, lastByteIn: lastByteIn, window: begun..<over, &round)
    round.processorMs = Double(processor) / 1e6 / Double(max(1, round.delaysMs.count))
    return round
  }

  @discardableResult private func end(_ child: Child, _ feeder: Feeder) -> [MediaTime] {
    let times = feeder.stop(by: .now() + .milliseconds(200))
    child.end()
    // If the program had stopped reading, the feeder was blocked in its write until now.
    return times.isEmpty ? feeder.stop(by: .now() + .seconds(1)) : times
  }

  func waitForPicture(
    _ server: Server, _ child: Child, _ contender: Contender
  ) throws -> MediaTime {
    let deadline = MediaTime.now() + .seconds(15)
    while MediaTime.now() < deadline, child.isRunning {
      if let first = server.firstPictureAt { return first }
      usleep(5_000)
    }
    throw Child.Failed(
      description:
        "nothing arrives from \(contender.rawValue): see \(work)/\(contender.rawValue).log")
  }

  private func judge(
    _ arrivals: [Arrival], lastByteIn: [MediaTime], window: Range<MediaTime>, _ round: inout Round
  ) throws {
    let stream = try Stream(arrivals)
    round.settings = stream.settings
    var seen = Set<Int>()
    var bytes = 0
    for (picture, number) in zip(arrivals.filter({ $0.kind == .picture }), stream.numbers) {
      if window.contains(picture.time) { bytes += picture.bytes.count }
      guard let number, lastByteIn.indices.contains(number), seen.insert(number).inserted else {
        if window.contains(picture.time) { round.extra += 1 }
        continue
      }
      guard window.contains(lastByteIn[number]) else { continue }
      round.delaysMs.append(Double(picture.time - lastByteIn[number]) / 1e6)
      if let micros = picture.encodeMicros { round.encodeMs.append(Double(micros) / 1e3) }
    }
    let fed = lastByteIn.count { window.contains($0) }
    round.lost = fed - round.delaysMs.count
    round.videoKbps =
      Double(bytes) * 8 / 1000 / (Double(window.upperBound - window.lowerBound) / 1e9)
  }
}
