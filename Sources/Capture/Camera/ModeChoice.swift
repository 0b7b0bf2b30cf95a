// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// How near a mode comes to what is asked; the greater is taken.
///
/// First comes how much of the picture and of its motion there is: the share of the asked rate times
/// the share of the asked width and height, each 1 at most. So a full-size picture at a third of the
/// rate loses against half the size at the full rate, and no format wins that cuts the rate where
/// another does not. Among equals: the asked shape, the fewest pixels too many (or else the fewest
/// too few), the rate nearest above, the format that is the cheapest to take, the exact rate.
struct ModeMerit: Comparable {
  /// Thousandths of what was asked.
  let share: Int
  let sameShape: Bool
  /// Whether the picture is at least as large as asked each way.
  let covers: Bool
  let pixels: Int
  /// Hundredths of a frame a second above what was asked; 0 within one in a hundred.
  let rateExcess: Int
  let formatCost: Int
  /// Hundredths of a frame a second from what was asked.
  let rateDistance: Int

  init(_ mode: CameraMode, _ request: CameraRequest) {
    let asked = request.size
    let across = min(1, Double(mode.size.width) / Double(asked.width))
    let down = min(1, Double(mode.size.height) / Double(asked.height))
    let rate = mode.framesPerSecond ?? Double(request.framesPerSecond)
    // 29.97 for 30 is no shortfall.
    let ratio = rate / Double(request.framesPerSecond)
    let motion = ratio > 0.99 ? 1 : ratio
    share = Int((min(across, down) * motion * 1000).rounded())
    sameShape = ModeMerit.haveSameShape(mode.size, asked)
    covers = across == 1 && down == 1
    pixels = mode.size.width * mode.size.height
    rateDistance = Int((abs(rate - Double(request.framesPerSecond)) * 100).rounded())
    rateExcess = ratio > 1.01 ? rateDistance : 0
    formatCost = ModeMerit.cost(of: mode.format)
  }

  static func < (a: ModeMerit, b: ModeMerit) -> Bool {
    if a.share != b.share { return a.share < b.share }
    if a.sameShape != b.sameShape { return b.sameShape }
    if a.covers != b.covers { return b.covers }
    if a.pixels != b.pixels { return a.covers ? a.pixels > b.pixels : a.pixels < b.pixels }
    if a.rateExcess != b.rateExcess { return a.rateExcess > b.rateExcess }
    if a.formatCost != b.formatCost { return a.formatCost > b.formatCost }
    return a.rateDistance > b.rateDistance
  }

  /// Whether one fills the other but for 2 % (1366x768 and 854x480 pass for 16:9).
  static func haveSameShape(_ a: PictureSize, _ b: PictureSize) -> Bool {
    let ratio = Double(a.width * b.height) / Double(max(1, a.height * b.width))
    return ratio > 0.98 && ratio < 1.02
  }

  /// What it costs to take a format, from cheap to dear.
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

/// The mode that comes nearest to `request`.
///
/// A wish for a format that the device does not have is passed over.
/// - Returns: `nil` when no mode is in a format that can be taken.
func chooseMode(_ modes: [CameraMode], _ request: CameraRequest) -> CameraMode? {
  let usable = modes.filter { $0.format.use != .none }
  let wished = usable.filter { request.format.admits($0.format) }
  return (wished.isEmpty ? usable : wished).max {
    ModeMerit($0, request) < ModeMerit($1, request)
  }
}

extension CameraRequest.Format {
  /// Whether `format` is what is wished for.
  func admits(_ format: FourCC) -> Bool {
    switch (self, format.use) {
    case (.automatic, _): true
    case (.straight(let wished), .straight(let has)): wished == has
    case (.other, .converted): true
    default: false
    }
  }
}

/// In what a mode differs from what was asked: "1280x720 at 30/s was asked for"; `nil`: in nothing.
func difference(of mode: CameraMode, from request: CameraRequest) -> String? {
  var asked: [String] = []
  if mode.size != request.size { asked.append("\(request.size)") }
  if !request.format.admits(mode.format) {
    switch request.format {
    case .straight(let format): asked.append(format.rawValue.uppercased())
    case .other: asked.append("a format to convert")
    case .automatic: break
    }
  }
  if let rate = mode.framesPerSecond {
    let ratio = rate / Double(request.framesPerSecond)
    if ratio < 0.99 || ratio > 1.01 { asked.append("\(request.framesPerSecond)/s") }
  }
  guard !asked.isEmpty else { return nil }
  return asked.joined(separator: ", ") + (asked.count == 1 ? " was" : " were") + " asked for"
}
