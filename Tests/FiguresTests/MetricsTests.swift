// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import Figures

@Suite struct MetricsTests {
  private static let promtool = "/usr/bin/promtool"

  /// What `promtool check metrics` says of a text; "" if nothing is wrong.
  private func check(_ text: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: MetricsTests.promtool)
    process.arguments = ["check", "metrics"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
      + (process.terminationStatus == 0 ? "" : "exit code \(process.terminationStatus)")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: promtool)))
  func prometheusAcceptsThem() throws {
    #expect(try check(MetricsText.of(FigureSamples.reading(7))) == "")
    #expect(try check(MetricsText.of(nil)) == "")
    #expect(try !check("onair_frames 1 2 3\n").isEmpty, "it finds mistakes")
  }

  @Test func labelsAreEscaped() {
    var text = MetricsText()
    text.add("a", .gauge, "A.", [.init(0.5, ("b", "\\ \" \n")), .init(nil, ("b", "c"))])
    text.add("c_total", .counter, "None.", [.init(nil)])
    #expect(text.text == "# HELP a A.\n# TYPE a gauge\na{b=\"\\\\ \\\" \\n\"} 0.5\n")
  }

  @Test func theNamesAreAContract() {
    let lines = MetricsText.of(FigureSamples.reading(7)).split(separator: "\n")
    let types = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.dropFirst(7) }
    let helps = lines.filter { $0.hasPrefix("# HELP") }
    #expect(types.count == helps.count)
    #expect(lines.filter { !$0.hasPrefix("#") }.map(String.init) == MetricsTests.golden)
    for line in types {
      #expect(line.hasSuffix(" counter") == line.contains("_total "), "\(line)")
    }
  }

  private static let golden = """
    onair_info{version="\(Version.current)"} 1
    process_cpu_seconds_total 7.17
    process_resident_memory_bytes 76543210
    process_start_time_seconds 1769860740
    onair_machine_cpu_seconds_total{mode="busy"} 44.9
    onair_machine_cpu_seconds_total{mode="idle"} 69.1
    onair_machine_memory_available_bytes 1200000000
    onair_machine_temperature_celsius 61.25
    onair_machine_clock_ratio 0.75
    onair_machine_throttled 0
    onair_machine_under_voltage 0
    onair_machine_uptime_seconds 3607
    onair_video_captured_frames_total 317
    onair_video_encoded_frames_total 300
    onair_video_repeated_frames_total 4
    onair_video_unreadable_frames_total 1
    onair_video_dropped_frames_total{reason="late"} 9
    onair_video_dropped_frames_total{reason="surplus"} 3
    onair_video_encoded_bytes_total 2750000
    onair_video_encode_seconds_total 2.58
    onair_video_encode_max_seconds 0.021
    onair_video_delay_max_seconds 0.034
    onair_video_target_bytes_per_second 250000
    onair_video_width_pixels 1280
    onair_video_height_pixels 720
    onair_video_queue_frames 1
    onair_audio_packets_total 479
    onair_audio_encoded_bytes_total 162000
    onair_audio_dropped_chunks_total 5
    onair_audio_late_samples_total 480
    onair_audio_clock_drift_ratio 1.23456e-05
    onair_video_lead_seconds -0.035
    onair_audio_loudness_lufs{window="momentary"} -15.3
    onair_audio_loudness_lufs{window="short_term"} -16
    onair_audio_loudness_lufs{window="integrated"} -16.5
    onair_audio_loudness_range_lu 4.3
    onair_audio_true_peak_dbtp -1
    onair_audio_track_peak_dbfs{track="main"} -6
    onair_audio_track_rms_dbfs{track="main"} -20
    onair_audio_alarm{track="main",alarm="clipping"} 1
    onair_audio_alarm{track="main",alarm="silence"} 0
    onair_audio_alarm{track="main",alarm="dead_device"} 0
    onair_audio_alarm{track="main",alarm="dead_channel"} 0
    onair_audio_alarm{track="main",alarm="inverted"} 0
    onair_audio_alarm{track="main",alarm="hum"} 0
    onair_destination_up{destination="main"} 1
    onair_destination_sent_frames_total{destination="main"} 283
    onair_destination_sent_bytes_total{destination="main",kind="video"} 2580000
    onair_destination_sent_bytes_total{destination="main",kind="audio"} 150000
    onair_destination_sent_bytes_total{destination="main",kind="other"} 700
    onair_destination_dropped_packets_total{destination="main"} 21
    onair_destination_connections_total{destination="main"} 3
    onair_destination_reconnects_total{destination="main"} 2
    onair_destination_failures_total{destination="main"} 4
    onair_destination_outage_seconds_total{destination="main"} 12.34
    onair_destination_queue_packets{destination="main"} 6
    onair_destination_queue_bytes{destination="main"} 43210
    onair_destination_queue_seconds{destination="main"} 0.075
    onair_destination_capture_to_sent_seconds{destination="main"} 0.09
    onair_destination_capture_to_acknowledged_seconds{destination="main"} 0.131
    onair_destination_round_trip_seconds{destination="main"} 0.023456
    onair_broadcast_start_seconds{step="devices"} 0
    onair_broadcast_start_seconds{step="connected"} 0.21
    onair_broadcast_start_seconds{step="first_frame"} 0.48
    """.split(separator: "\n").map(String.init)
}
