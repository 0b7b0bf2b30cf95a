// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import FoundationEssentials
package import Media
internal import Posix
internal import RateControl
internal import Studio

/// What the speed ladder costs on this machine: measured at the first run, kept, and measured again when the processor or
/// x264 is another one.
package final class SpeedCalibration: Sendable {
  /// The file.
  private struct Record: Codable {
    var processor: String
    var library: String
    var costs: SpeedCosts

    static let processor = Processors.description

    var isOfThisMachine: Bool {
      processor == Record.processor && library == X264Encoder.version
    }
  }

  private static let fileName = "speed.json"
  private static let longest = 16_384

  private let directory: String
  private let studio: Studio
  private let events: EventLog
  private let worker = Worker(name: "calibration")
  private let isKnown: Bool

  /// Uses the costs that were kept.
  /// - Parameter directory: the state directory.
  package init(directory: String, station: Station) {
    self.directory = directory
    studio = station.studio
    events = station.events
    let bytes = try? File.readPrivate(Self.fileName, in: directory, limit: Self.longest)
    let record = bytes.flatMap { try? JSONDecoder().decode(Record.self, from: Data($0)) }
    isKnown = record?.isOfThisMachine ?? false
    if let record, isKnown { studio.use(record.costs) }
  }

  /// Measures, if nothing was kept: on a thread that gives way to all others.
  package func start() {
    guard !isKnown else { return }
    try? worker.tryStart { [self] in
      LowPriority.apply()
      guard let costs = try? SpeedTrial.costs(isStopped: { worker.isStopping }) else { return }
      studio.use(costs)
      let record = Record(
        processor: Record.processor, library: X264Encoder.version, costs: costs)
      do throws(SystemError) {
        let bytes = (try? JSONEncoder().encode(record)) ?? Data()
        try File.replace(Self.fileName, in: directory, with: Array(bytes))
      } catch {
        events.note(
          .warning,
          "\(directory)/\(Self.fileName) cannot be written (\(error)): the encoder is measured again at the next start."
        )
      }
    }
  }

  /// - Parameter deadline: as for `Worker.join`.
  package func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }
}
