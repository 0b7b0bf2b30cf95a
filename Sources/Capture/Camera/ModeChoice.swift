// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The score of a mode, which says how near the mode is to the request. The mode with the highest score is used.
///
/// The first criterion is `fulfilment`: the fraction of the requested rate that the mode reaches, times the fraction of
/// the requested width or height, whichever is smaller; each is at most 1. So the full size at a third of the rate has
/// a lower score than half the size at the full rate.
///
/// Further criteria, in this order: the requested aspect ratio; a size that covers the requested one; the fewest excess
/// pixels, or the fewest missing pixels if the size is too small; the smallest excess rate; the cheapest format; the
/// nearest rate.
struct ModeScore: Comparable {
  /// The fraction of the requested rate that the mode reaches, times the fraction of the requested size, in
  /// thousandths.
  let fulfilment: Int
  /// Whether the mode has the requested aspect ratio, within 2 %.
  let hasSameShape: Bool
  /// Whether the width and the height are at least as large as requested.
  let coversRequest: Bool
  /// The number of pixels of the mode's size.
  let pixels: Int
  /// The excess of the frame rate over the requested one, in hundredths of a frame per second; 0 for an excess of at
  /// most 1 %.
  let rateExcess: Int
  /// The rank of the mode's format by processor time; 0 is the cheapest.
  let formatCost: Int
  /// The difference between the frame rate and the requested one, in hundredths of a frame per second.
  let rateDistance: Int

  init(_ mode: CameraMode, _ request: CameraRequest) {
    let size = request.size
    let across = min(1, Double(mode.size.width) / Double(size.width))
    let down = min(1, Double(mode.size.height) / Double(size.height))
    let rate = mode.framesPerSecond ?? Double(request.framesPerSecond)
    // A rate that is up to 1 % lower counts as the requested one: 29.97 as 30.
    let ratio = rate / Double(request.framesPerSecond)
    let motion = ratio > 0.99 ? 1 : ratio
    fulfilment = Int((min(across, down) * motion * 1000).rounded())
    hasSameShape = ModeScore.haveSameShape(mode.size, size)
    coversRequest = across == 1 && down == 1
    pixels = mode.size.width * mode.size.height
    rateDistance = Int((abs(rate - Double(request.framesPerSecond)) * 100).rounded())
    rateExcess = ratio > 1.01 ? rateDistance : 0
    formatCost = ModeScore.cost(of: mode.format)
  }

  static func < (a: ModeScore, b: ModeScore) -> Bool {
    if a.fulfilment != b.fulfilment { return a.fulfilment < b.fulfilment }
    if a.hasSameShape != b.hasSameShape { return b.hasSameShape }
    if a.coversRequest != b.coversRequest { return b.coversRequest }
    if a.pixels != b.pixels { return a.coversRequest ? a.pixels > b.pixels : a.pixels < b.pixels }
    if a.rateExcess != b.rateExcess { return a.rateExcess > b.rateExcess }
    if a.formatCost != b.formatCost { return a.formatCost > b.formatCost }
    return a.rateDistance > b.rateDistance
  }

  /// Whether the aspect ratios of two sizes differ by less than 2 % (1366x768 and 854x480 count as 16:9).
  static func haveSameShape(_ a: PictureSize, _ b: PictureSize) -> Bool {
    let ratio = Double(a.width * b.height) / Double(max(1, a.height * b.width))
    return ratio > 0.98 && ratio < 1.02
  }

  /// The rank of a format by the processor time that it costs; 0 is the cheapest.
  static func cost(of format: FourCC) -> Int {
    switch format.use {
    case .straight(.nv12): 0
    case .straight(.i420): 1
    case .straight(.yuyv): 2
    case .straight(.uyvy): 3
    case .straight(.nv21): 4
    case .straight(.mjpeg): 10
    case .converted(let kind): 20 + kind.rawValue
    case .none: 100
    }
  }
}

/// The mode that is nearest to `request`. If no mode has the requested format, that format is ignored.
/// - Returns: `nil` if no mode has a supported format.
func chooseMode(_ modes: [CameraMode], _ request: CameraRequest) -> CameraMode? {
  let usable = modes.filter { $0.format.use != .none }
  let requested = usable.filter { request.format.admits($0.format) }
  return (requested.isEmpty ? usable : requested).max {
    ModeScore($0, request) < ModeScore($1, request)
  }
}

extension CameraRequest.Format {
  /// Whether `format` is one of the requested formats.
  func admits(_ format: FourCC) -> Bool {
    switch (self, format.use) {
    case (.automatic, _): true
    case (.straight(let requested), .straight(let offered)): requested == offered
    case (.other, .converted): true
    default: false
    }
  }
}

/// How a mode differs from the request, for people: "1280x720, 30/s were requested"; `nil` if the mode is as requested.
func difference(of mode: CameraMode, from request: CameraRequest) -> String? {
  /// The requested properties that the mode lacks, as text.
  var requested: [String] = []
  if mode.size != request.size { requested.append("\(request.size)") }
  if !request.format.admits(mode.format) {
    switch request.format {
    case .straight(let format): requested.append(format.rawValue.uppercased())
    case .other: requested.append("another format")
    case .automatic: break
    }
  }
  if let rate = mode.framesPerSecond {
    let ratio = rate / Double(request.framesPerSecond)
    if ratio < 0.99 || ratio > 1.01 { requested.append("\(request.framesPerSecond)/s") }
  }
  guard !requested.isEmpty else { return nil }
  return requested.joined(separator: ", ") + (requested.count == 1 ? " was" : " were")
    + " requested"
}
