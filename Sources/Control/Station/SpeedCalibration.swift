// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import FoundationEssentials
package import Media
internal import Posix
public import RateControl
internal import Studio

/// What the speed ladder costs on this machine: measured at the first run, kept, and measured again when the processor or
/// x264 is another one.
public final class SpeedCalibration: Sendable {
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
  private let worker = Worker(name: "calibration", urgency: .encoding)
  private let isKnown: Bool

  /// Uses the costs that were kept.
  /// - Parameter directory: the state directory.
  package init(directory: String, station: Station) {
    self.directory = directory
    studio = station.studio
    events = station.events
    let costs = Self.kept(in: directory)
    isKnown = costs != nil
    if let costs { studio.use(costs) }
  }

  /// The costs that were measured on this machine; `nil` if there are none.
  /// - Parameter directory: the state directory.
  public static func kept(in directory: String) -> SpeedCosts? {
    let bytes = try? File.readPrivate(fileName, in: directory, limit: longest)
    let record = bytes.flatMap { try? JSONDecoder().decode(Record.self, from: Data($0)) }
    return record.flatMap { $0.isOfThisMachine ? $0.costs : nil }
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
