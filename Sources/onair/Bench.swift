// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
import Base
internal import Box
import Control
import FoundationEssentials
import Glibc
import Posix
import Settings
import Studio

struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures which sizes and frame rates this machine can encode, and recommends one.",
    discussion: """
      Encodes a demanding scene with all processors for about half a minute. Nothing else should run meanwhile: during a \
      broadcast it exits with 1 and measures nothing, unless --force is given. \
      "work" is what video.speed "auto" can afford, from 0 (superfast) to 10 (slow). What was measured is kept in the \
      state directory, for "onair check".
      """)

  @Option(help: "The settings file (TOML); see \"onair settings\".")
  /// The path of the settings file; `nil` for the defaults only.
  var config: String?

  @Flag(help: "Print as JSON, for programs.")
  var json = false

  @Flag(help: "Measure during a broadcast, too: it may lose frames, and the result is too low.")
  /// Whether to measure even if a broadcast is running on this machine.
  var force = false

  @OptionGroup var options: SettingsOptions

  /// The output of `--json`. Other programs read it, so the field names must not change.
  private struct Report: Encodable {
    struct Row: Encodable {
      var size: String
      var fps: Int
      var carried: Bool
      var work: Double?
      var quality: String
      var sparePercent: Int
    }

    struct Recommended: Encodable {
      var size: String
      var fps: Int
    }

    var rows: [Row]
    /// The recommended settings by key, with all values as text. Deprecated in favour of `recommended`.
    var recommendation: [String: String]?
    var recommended: Recommended?
  }

  func run() throws {
    let configuration: Configuration
    do {
      configuration = try Configuration.load(file: config, overrides: options.overrides)
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
    if !force { try refuseDuringBroadcast() }
    let processors = Processors.available
    Processors.avoidSlow()
    let measurement: SpeedMeasurement
    do {
      if !json { printError("Measuring the encoder …") }
      let costs = try SpeedTrial.costs()
      measurement = try SpeedMeasurement(costs: costs) { size in
        if !json { printError("Measuring \(size) …") }
      }
    } catch {
      printError("The encoder cannot be measured: too little memory is left.")
      throw Exit.unavailable
    }
    let table = SpeedTable(
      measurement, processors: processors,
      processorShare: configuration.settings.video.processorShare)
    if json { printJSON(table) } else { printText(table) }
    keep(measurement, in: configuration.stateDirectory)
  }

  /// Ends the program with an error if OnAir is broadcasting on this machine: the measurement would make that broadcast
  /// lose frames.
  private func refuseDuringBroadcast() throws {
    var meant = RunningBoxOptions()
    (meant.config, meant.overrides, meant.json) = (config, options.overrides, json)
    var any = RunningBoxOptions()
    (any.config, any.overrides, any.json) = (nil, [], json)
    guard try [meant, any].contains(where: { try $0.hasBroadcast }) else { return }
    printError(
      "A broadcast is on the air, and would lose frames: end it first (onair stop). --force measures all the same."
    )
    throw ExitCode.failure
  }

  /// Saves the measurement in the state directory, for later starts of OnAir. Prints a message if that fails.
  private func keep(_ measurement: SpeedMeasurement, in directory: String) {
    do throws(StateDirectoryError) {
      _ = try StateDirectory(path: directory)
    } catch {
      // Go on if a running OnAir uses the directory: it reads the measurement at its next start.
      guard case .inUse = error else {
        printError("The measurement is not kept. \(error.sentence)")
        return
      }
    }
    do throws(SystemError) {
      try SpeedCalibration.keep(measurement, in: directory)
    } catch {
      printError("The measurement is not kept: \(directory) cannot be written (\(error)).")
    }
  }

  /// Prints the table for people, and the recommendation as a command.
  private func printText(_ table: SpeedTable) {
    print("size        frames/s  work  about      time to spare")
    for row in table.rows {
      let work = row.level.map { $0.withOneDecimal } ?? "-"
      print(
        padded("\(row.size)", 12) + padded("\(row.framesPerSecond)", 10) + padded(work, 6)
          + padded(row.quality, 11) + "\(row.sparePercent) %")
    }
    guard let best = table.recommendation else {
      print("This machine is too slow for any of them.")
      return
    }
    print("Recommended: onair set video.size \(best.size) video.fps \(best.framesPerSecond)")
  }

  /// Prints the table as a `Report`.
  private func printJSON(_ table: SpeedTable) {
    let report = Report(
      rows: table.rows.map { row in
        Report.Row(
          size: "\(row.size)", fps: row.framesPerSecond, carried: row.level != nil,
          work: row.level.map { ($0 * 100).rounded() / 100 }, quality: row.quality,
          sparePercent: row.sparePercent)
      },
      recommendation: table.recommendation.map {
        ["video.size": "\($0.size)", "video.fps": "\($0.framesPerSecond)"]
      },
      recommended: table.recommendation.map {
        Report.Recommended(size: "\($0.size)", fps: $0.framesPerSecond)
      })
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: (try? encoder.encode(report)) ?? Data(), as: UTF8.self))
  }

  /// The text, followed by spaces up to a width in characters; at least one space.
  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}

extension SpeedTable.Row {
  /// Share of the time between two frames that encoding leaves free, in percent; below 0 if a frame takes longer.
  fileprivate var sparePercent: Int { Int(((1 - timeShare) * 100).rounded()) }
}

extension Double {
  /// The number with one decimal place.
  fileprivate var withOneDecimal: String {
    let tenths = Int((self * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
