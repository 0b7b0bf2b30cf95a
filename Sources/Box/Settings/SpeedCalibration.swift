// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Encode
internal import Events
public import Posix
public import RateControl
public import Settings
public import Studio

/// Measures what each rung of the encoder's speed ladder costs on this machine, and saves the result. It measures at
/// the first run, and again when the processor or the encoder has changed.
public final class SpeedCalibration: Sendable {
  /// The contents of the file with the result.
  private struct Record: Codable {
    var processor: String
    var library: String
    var costs: SpeedCosts
    /// The encoding times that "onair bench" has measured, by picture size; `nil` if it was not run.
    var sizes: [SpeedMeasurement.FrameTime]?

    init(costs: SpeedCosts, sizes: [SpeedMeasurement.FrameTime]?) {
      processor = Record.processor
      library = EncoderFactory.libraries.videoName
      self.costs = costs
      self.sizes = sizes
    }

    static let processor = Processors.description

    var isUsable: Bool {
      processor == Record.processor && library == EncoderFactory.libraries.videoName
        && costs.arePlausible
    }
  }

  /// The file in the state directory with the measured encoding costs of the speed ladder's rungs.
  private static let file = StateFile<Record>("speed.json", limit: 16_384)

  /// The state directory.
  private let directory: String
  /// The studio that receives the measured encoding costs.
  private let studio: Studio
  private let events: EventLog
  /// The thread that measures.
  private let worker = Worker(name: "calibration", urgency: .encoding)
  /// Whether usable encoding costs were found on the disk, so that nothing has to be measured.
  private let hasSavedCosts: Bool

  /// Passes the saved encoding costs to the studio, if there are any.
  /// - Parameter directory: the state directory.
  package init(directory: String, station: Station) {
    self.directory = directory
    studio = station.studio
    events = station.events
    let costs = Self.kept(in: directory)
    hasSavedCosts = costs != nil
    if let costs { studio.use(costs) }
  }

  /// The saved encoding costs of the speed ladder's rungs on this machine; `nil` if there are none.
  /// - Parameter directory: the state directory.
  public static func kept(in directory: String) -> SpeedCosts? { record(in: directory)?.costs }

  /// The saved result of "onair bench" on this machine; `nil` if there is none.
  static func measurement(in directory: String) -> SpeedMeasurement? {
    guard let record = record(in: directory), let sizes = record.sizes else { return nil }
    return SpeedMeasurement(costs: record.costs, sizes: sizes)
  }

  /// Saves the result of "onair bench".
  public static func keep(
    _ measurement: SpeedMeasurement, in directory: String
  ) throws(SystemError) {
    try keep(measurement.costs, sizes: measurement.sizes, in: directory)
  }

  /// Saves measured encoding costs in the state directory.
  /// - Parameter sizes: encoding times by picture size; `nil` if only the costs of the rungs were measured.
  static func keep(
    _ costs: SpeedCosts, sizes: [SpeedMeasurement.FrameTime]? = nil, in directory: String
  ) throws(SystemError) {
    try file.write(Record(costs: costs, sizes: sizes), in: directory)
  }

  /// The contents of the file; `nil` if there are none, or if the processor or the encoder has changed since.
  private static func record(in directory: String) -> Record? {
    guard let record = try? file.read(in: directory), record.isUsable else { return nil }
    return record
  }

  /// A warning that this machine is too slow for the size and frame rate of the settings; `nil` if it is fast enough,
  /// or was not measured.
  /// - Parameter processors: the number of processors.
  public static func warning(
    of video: VideoSettings, in directory: String, processors: Int
  ) -> String? {
    let measured = measurement(in: directory)?.framesPerSecond(
      video.size, processors: processors, processorShare: video.processorShare)
    let estimated = kept(in: directory)?.framesPerSecond(video.size, processors: processors)
    guard let most = measured ?? estimated, most < Double(video.fps) else { return nil }
    let (about, source) =
      measured == nil
      ? ("about ", "an estimate, which \"onair bench\" makes exact")
      : ("", "measured by \"onair bench\"")
    return "this machine encodes \(video.size) at \(about)\(Int(most)) frames a second, not at "
      + "\(video.fps) (\(source)): choose a smaller video.size or a lower video.fps"
  }

  /// Measures the encoding costs on a thread of its own, unless saved costs were found on the disk.
  package func start() {
    guard !hasSavedCosts else { return }
    try? worker.tryStart { [self] in
      guard let costs = try? SpeedTrial.costs(isStopped: { worker.isStopping }) else { return }
      studio.use(costs)
      do throws(SystemError) {
        try Self.keep(costs, in: directory)
      } catch {
        events.note(
          .warning,
          "\(directory)/\(Self.file.name) cannot be written (\(error)): the encoder is measured again at the next start."
        )
      }
    }
  }

  /// Ends the measurement.
  /// - Parameter deadline: an instant on CLOCK_MONOTONIC.
  /// - Returns: `false` when the thread had not ended by `deadline`.
  package func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }
}
