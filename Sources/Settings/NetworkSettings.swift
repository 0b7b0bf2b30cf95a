// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// `[network]`: what is sent over a link that carries less than it should.
public struct NetworkSettings: Sendable, Equatable {
  /// What gives way first.
  public let mode: NetworkMode
  /// Seconds, 1 to 10, from the capture of a picture to its arrival, as far as that is the box's doing.
  public let maxBehindSeconds: Double
  /// Thousands of bits a second that the picture gets at the least; 0 for what goes with its size.
  public let minKbps: Int
  /// Thousands of bits a second to begin with; 0 for what goes with its size.
  public let initialKbps: Int
  /// Whether the picture may become smaller.
  public let dynamicResolution: Bool
  /// Seconds, 1 to 60, for which the link carries less than the least, and not all there is, before a still takes
  /// the picture's place.
  public let poorAfterSeconds: Double

  /// - Parameter target: `video.bitrate_kbps`.
  init(_ form: inout Form, target: Int) {
    mode = form.value(
      "network.mode", .choice(), default: .resolution,
      help: """
        What is reduced on a slow network, after the bit rate: "resolution" keeps the size of \
        the video and reduces the frames a second; "fluency" keeps the frames a second; "custom" \
        is "resolution" with network.min_kbps and network.initial_kbps; "fixed" never changes \
        the bit rate.
        """)
    maxBehindSeconds = form.value(
      "network.max_behind_seconds", .number(1...10), default: 2, unit: "seconds",
      help: """
        How far the box may let viewers fall behind. What has waited longer is dropped.
        """)
    minKbps = form.value(
      "network.min_kbps", .wholeNumber(0...12_000), default: 0, unit: "kbit/s", effect: .immediate,
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
      form.report(
        "network.dynamic_resolution",
        "does not go with network.mode = \"custom\": choose \"resolution\" or \"fluency\"",
        at: form.place(of: "network.dynamic_resolution"))
    }
    let isDoubtful = form.isDoubtful("video.bitrate_kbps") || form.isDoubtful("network.min_kbps")
    if mode == .custom, minKbps > target, !isDoubtful {
      form.report(
        "network.min_kbps", "is more than video.bitrate_kbps (\(target))",
        at: form.place(of: "network.min_kbps"))
    }
    if mode == .custom, !isDoubtful, initialKbps > 0,
      !(minKbps...max(minKbps, target)).contains(initialKbps)
    {
      form.report(
        "network.initial_kbps",
        "is not between network.min_kbps (\(minKbps)) and video.bitrate_kbps (\(target))",
        at: form.place(of: "network.initial_kbps"))
    }
  }
}
