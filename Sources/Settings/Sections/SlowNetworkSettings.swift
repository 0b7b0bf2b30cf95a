// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[network]`: how the stream adapts to a slow link.
public struct SlowNetworkSettings: Sendable, Equatable {
  /// What OnAir reduces while the link is slow.
  public let mode: NetworkMode
  /// Maximum time that a packet may wait to be sent, in seconds, 1 to 10. A packet that has waited longer is dropped.
  public let maxBehindSeconds: Double
  /// Minimum video bit rate in kbit/s; 0 derives it from the size. Used only if `mode` is `custom`.
  public let minKbps: Int
  /// Video bit rate with which a broadcast starts, in kbit/s; 0 derives it from the size. Used only if `mode` is
  /// `custom`.
  public let initialKbps: Int
  /// Whether the video may be scaled down while the link is slow. Must be false if `mode` is `custom`.
  public let dynamicResolution: Bool
  /// Time in seconds, 1 to 60, for which the link must deliver less than the minimum bit rate, and less than is
  /// encoded, before a still replaces the video.
  public let poorAfterSeconds: Double

  /// - Parameter target: the video bit rate on a good link in kbit/s, `VideoSettings.targetKbps`.
  init(_ form: inout Form, target: Int) {
    mode = form.value(
      "network.mode", .choice(), default: .resolution,
      help: """
        What is reduced on a slow network, after the bit rate: "resolution" reduces the frames a \
        second, "fluency" keeps them. With network.dynamic_resolution both reduce the size of the \
        video, too, "fluency" as a rule at a higher bit rate. "custom" is "resolution" with \
        network.min_kbps and network.initial_kbps, and keeps the size. "fixed" never changes the \
        bit rate.
        """)
    maxBehindSeconds = form.value(
      "network.max_behind_seconds", .number(1...10), default: 2, unit: "seconds",
      help: """
        The longest time that video and sound may wait in the box before they are sent. Older \
        ones are dropped.
        """)
    minKbps = form.value(
      "network.min_kbps", .wholeNumber(0...12_000), default: 0, unit: "kbit/s",
      help: """
        With network.mode "custom": the lowest bit rate of the video, in kbit/s. 0 chooses one \
        for its size.
        """)
    initialKbps = form.value(
      "network.initial_kbps", .wholeNumber(0...12_000), default: 0, unit: "kbit/s",
      help: """
        With network.mode "custom": the bit rate that the video starts with, in kbit/s. 0 \
        chooses one for its size.
        """)
    dynamicResolution = form.value(
      "network.dynamic_resolution", .flag, default: false,
      help: """
        Allows a smaller video while the network is slow. It cannot be used with network.mode \
        "custom". Some platforms end a broadcast whose size changes.
        """)
    poorAfterSeconds = form.value(
      "network.poor_after_seconds", .number(1...60), default: 3, unit: "seconds",
      help: """
        How long the network may be too slow for the lowest bit rate before viewers see \
        slate.network_image; the sound goes on.
        """)
    if dynamicResolution, mode == .custom {
      form.reportConflict(
        "network.dynamic_resolution",
        "does not go with network.mode = \"custom\": choose \"resolution\" or \"fluency\"",
        at: form.place(of: "network.dynamic_resolution"), other: "network.mode")
    }
    let isDoubtful = form.isDoubtful("video.bitrate_kbps") || form.isDoubtful("network.min_kbps")
    if mode == .custom, minKbps > target, !isDoubtful {
      form.reportConflict(
        "network.min_kbps", "is more than video.bitrate_kbps (\(target))",
        at: form.place(of: "network.min_kbps"), other: "video.bitrate_kbps")
    }
    if mode == .custom, !isDoubtful, initialKbps > 0,
      !(minKbps...max(minKbps, target)).contains(initialKbps)
    {
      form.reportConflict(
        "network.initial_kbps",
        "is not between network.min_kbps (\(minKbps)) and video.bitrate_kbps (\(target))",
        at: form.place(of: "network.initial_kbps"), other: "video.bitrate_kbps")
    }
  }
}
