// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// Reads and decodes the music of one request on a thread of its own, ahead of the time at which it is heard. A network
/// that stalls stops this thread alone.
final class MusicReader: Sendable {
  /// Nanoseconds that have to be in hand of a file, and of a station, before they are heard.
  static let fileInHand: Int64 = .milliseconds(200)
  static let stationInHand: Int64 = .seconds(3)
  /// Seconds of music that are in hand at most. What a station sends beyond that is dropped.
  static let maxSecondsInHand = 10
  /// The cross-fade from piece to piece, in sample frames: 3 s.
  static let crossFadeFrames = 3 * PCM.sampleRate
  /// How many times slower a station's clock is followed than a microphone's.
  static let stationSlowness: Int64 = 20

  /// What the reader reports, on its thread.
  enum Report {
    case skipped(MusicTrouble)
    case interrupted(MusicTrouble)
    /// The music cannot be played. `complete` follows.
    case failed(MusicTrouble)
    /// The last sample has been decoded.
    case complete
  }

  let request: MusicRequest
  let buffer: MusicBuffer
  let net: MusicNet
  let openings: FileOpenings
  let worker: Worker
  let report: @Sendable (MusicReader, Report) -> Void
  /// Why nothing comes; `nil` while all is well.
  let trouble = Mutex<MusicTrouble?>(nil)
  let loops: Atomic<Bool>
  /// Whether a station has been heard, which cannot be held: it goes on without the listener.
  let isStation = Atomic(false)
  /// Whether any of the music comes from a server. A file may be a list that names stations.
  let isOnNetwork: Atomic<Bool>
  /// Whether the music is to be heard now. While it is not, no address is opened.
  let isWanted = Atomic(false)

  init(
    _ request: MusicRequest, net: MusicNet, openings: FileOpenings, clock: MediaClock,
    report: @escaping @Sendable (MusicReader, Report) -> Void
  ) {
    self.request = request
    self.net = net
    self.openings = openings
    self.report = report
    loops = Atomic(request.loops)
    isOnNetwork = Atomic(request.source.isOnNetwork)
    worker = Worker(name: "music", clock: clock)
    // Two seconds more than the most in hand, for what is decoded at once.
    buffer = MusicBuffer(
      seconds: MusicReader.maxSecondsInHand + 2,
      resumeNanos: request.source.isOnNetwork ? MusicReader.stationInHand : MusicReader.fileInHand)
  }

  func start() { worker.start { [self] in MusicReading(self).run() } }

  /// Asks the thread to end. What has been decoded stays in the buffer.
  func requestStop() { worker.requestStop() }

  @discardableResult func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }
}

extension MusicSource {
  /// Whether the music comes from a server.
  var isOnNetwork: Bool { if case .address = self { true } else { false } }
}
