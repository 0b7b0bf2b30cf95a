// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

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
  /// The same from the first frame that arrived until the measurement begins.
  var lostAtStart = 0
  /// Decoded frames that repeat a number or show none.
  var extra = 0
  var settings = ""
}

/// Something that happens beside the program during a measurement.
protocol Companion: Sendable {
  func begin(with child: Child, at begun: MediaTime)
  func end()
}

struct Track {
  let scene: any FrameSource
  let tools: Tools
  /// Folder for logs and for files of the programs.
  let work: String
  /// Duration of each measurement.
  var seconds: Int

  /// The speed of OnAir's and ffmpeg's encoder.
  var speed = Work.preset
  var overlays = OverlayWork.none
  /// The ports of further servers that get the same stream.
  var others: [Int] = []
  /// Whether the server that is measured is a relay, and the first of `others` the main one.
  var measuresRelay = false
  /// `Servers.queues`
  var queues = false
  /// Time after the first frame that is not measured: caches fill, and x264's rate control settles.
  var settle = Int64.seconds(2)
  /// Time after the measurement in which frames may still arrive.
  var drain = Int64.milliseconds(500)

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
      contender.command(
        to: servers(server.port), tools: tools, work: work, speed: speed, overlays: overlays),
      log: "\(work)/\(contender.rawValue).log")
  }

  private func servers(_ measured: Int) -> Servers {
    measuresRelay
      ? Servers(main: others[0], relays: [measured] + others.dropFirst(), queues: queues)
      : Servers(main: measured, relays: others, queues: queues)
  }

  /// What was seen of one program.
  struct Observation {
    var arrivals: [Arrival]
    var feed: Feed
    /// The time that is measured.
    var window: Range<MediaTime>
    var startMs: Double
    /// CPU time in the window.
    var processorNanos: Int64
    var peakMemoryKB: Int
  }

  /// Measures one program.
  func run(_ contender: Contender) throws -> Round {
    let seen = try observe(contender)
    var round = Round()
    round.peakMemoryMB = Double(seen.peakMemoryKB) / 1024
    round.startMs = seen.startMs
    try judge(seen, &round)
    round.processorMs = Double(seen.processorNanos) / 1e6 / Double(max(1, round.delaysMs.count))
    return round
  }

  /// - Parameters:
  ///   - buffers: of the simulated camera.
  ///   - companions: run during the measurement.
  func observe(
    _ contender: Contender, buffers: Int = 0, companions: [any Companion] = []
  ) throws -> Observation {
    let server = try Server(contender.language)
    defer { server.end() }
    let child = try start(contender, server)
    let feeder = Feeder(scene: scene, descriptor: child.input, buffers: buffers)
    feeder.start()
    var ended = false
    defer { if !ended { end(child, feeder) } }

    let first = try waitForPicture(server, child, contender)
    (first + settle).sleepUntil()
    let begun = MediaTime.now()
    for companion in companions { companion.begin(with: child, at: begun) }
    let processorBefore = child.processorNanos
    (begun + .seconds(Int64(seconds))).sleepUntil()
    let over = MediaTime.now()
    let processor = child.processorNanos - processorBefore
    for companion in companions { companion.end() }
    (over + drain).sleepUntil()
    guard child.isRunning, processor > 0 else {
      throw Child.FailedError(
        description: "\(contender.rawValue) has ended: see \(work)/\(contender.rawValue).log")
    }
    let memory = child.peakMemoryKB
    ended = true
    let feed = end(child, feeder)
    return Observation(
      arrivals: server.received, feed: feed, window: begun..<over,
      startMs: Double(first - child.startedAt) / 1e6, processorNanos: processor,
      peakMemoryKB: memory)
  }

  @discardableResult private func end(_ child: Child, _ feeder: Feeder) -> Feed {
    let feed = feeder.stop(by: .now() + .milliseconds(200))
    child.end()
    // If the program had stopped reading, the feeder was blocked in its write until now.
    return feed.captured.isEmpty ? feeder.stop(by: .now() + .seconds(1)) : feed
  }

  func waitForPicture(
    _ server: Server, _ child: Child, _ contender: Contender
  ) throws -> MediaTime {
    let deadline = MediaTime.now() + .seconds(15)
    while MediaTime.now() < deadline, child.isRunning {
      if let first = server.firstPictureAt { return first }
      usleep(5_000)
    }
    throw Child.FailedError(
      description:
        "nothing arrives from \(contender.rawValue): see \(work)/\(contender.rawValue).log")
  }

  private func judge(_ observation: Observation, _ round: inout Round) throws {
    let (arrivals, window) = (observation.arrivals, observation.window)
    let lastByteIn = observation.feed.lastByteIn
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
    if let first = seen.min() {
      round.lostAtStart = lastByteIn.indices.dropFirst(first).count {
        lastByteIn[$0] < window.lowerBound && !seen.contains($0)
      }
    }
    round.videoKbps =
      Double(bytes) * 8 / 1000 / (Double(window.upperBound - window.lowerBound) / 1e9)
  }
}
