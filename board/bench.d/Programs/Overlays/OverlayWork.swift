// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Foundation
internal import TestSupport

/// What each program lays on the picture. Images have the size in which they are shown, and lie at even positions, below the
/// frame's number.
enum OverlayWork: String, CaseIterable {
  case none
  /// A still image of 384x192 pixels.
  case watermark
  /// A half transparent band of the whole width, with a name and a clock that ticks each second.
  case lowerThird = "lower-third"
  /// 256x256 pixels that change 25 times a second.
  case sticker

  static let watermarkPlace = (x: 832, y: 64)
  static let watermarkSize = (width: 384, height: 192)
  static let bandTop = 544
  static let bandHeight = 144
  static let clockPlace = (x: 64, y: 584)
  static let fontHeight = 54
  static let name = "Anna Müller"
  static let stickerPlace = (x: 96, y: 96)
  static let stickerSide = 256
  static let stickerFrames = 25
  static let stickerRate = 25

  /// Writes the images of all cases into a folder.
  static func writeFiles(_ folder: String) throws {
    try write(
      "\(folder)/watermark.png",
      PNGFile(width: watermarkSize.width, height: watermarkSize.height, colour: .rgba).bytes {
        x, y in
        let inside = (x - 192) * (x - 192) + 4 * (y - 96) * (y - 96) < 34_000
        return (255, UInt8(128 + x / 4), UInt8(y), UInt8(inside ? 255 : (x + y) % 160))
      })
    try write(
      "\(folder)/band.png",
      PNGFile(width: Scene.size.width, height: bandHeight, colour: .rgba).bytes { _, _ in
        (16, 32, 96, 160)
      })
    for index in 0..<stickerFrames {
      try write(
        frame(folder, index),
        PNGFile(width: stickerSide, height: stickerSide, colour: .rgba).bytes { x, y in
          let (dx, dy) = (x - 128 - (index - 12) * 4, y - 128)
          let distance = dx * dx + dy * dy
          return (255, UInt8(y), 64, UInt8(max(0, min(255, 255 - (distance - 9_000) / 16))))
        })
    }
    // OnAir's stickers are animated PNG files.
    let making = try Child(
      [
        "ffmpeg", "-v", "error", "-y", "-framerate", "\(stickerRate)", "-i",
        "\(folder)/sticker-%02d.png", "-plays", "0", "-f", "apng", "\(folder)/sticker.png",
      ], log: "\(folder)/sticker.log", isMeasured: false)
    while making.isRunning { usleep(5_000) }
    making.end()
  }

  static func frame(_ folder: String, _ index: Int) -> String {
    "\(folder)/sticker-\(index < 10 ? "0" : "")\(index).png"
  }

  private static func write(_ path: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  // MARK: The programs

  /// OnAir's settings.
  func settings(_ folder: String) -> [String] {
    let size = Scene.size
    func fraction(_ pixels: Int, _ whole: Int) -> Double { Double(pixels) / Double(whole) }
    func place(_ name: String, _ x: Int, _ y: Int, width: Int) -> [String] {
      [
        "overlay.\(name).x=\(fraction(x, size.width))",
        "overlay.\(name).y=\(fraction(y, size.height))",
        "overlay.\(name).width=\(fraction(width, size.width))",
      ]
    }
    switch self {
    case .none: return []
    case .watermark:
      let (x, y) = OverlayWork.watermarkPlace
      return [
        "overlay.logo.kind=image", "overlay.logo.file=\(folder)/watermark.png",
      ] + place("logo", x, y, width: OverlayWork.watermarkSize.width)
    case .lowerThird:
      let (x, y) = OverlayWork.clockPlace
      return [
        "overlay.band.kind=image", "overlay.band.file=\(folder)/band.png",
        "overlay.who.kind=text", "overlay.who.z=2",
        "overlay.who.text=\(OverlayWork.name) {time:%H:%M:%S}",
        "overlay.who.size=\(fraction(OverlayWork.fontHeight, size.height))",
        "overlay.who.font=DejaVu Sans",
      ] + place("band", 0, OverlayWork.bandTop, width: size.width)
        + place("who", x, y, width: 0)
    case .sticker:
      let (x, y) = OverlayWork.stickerPlace
      return [
        "overlay.fun.kind=sticker", "overlay.fun.file=\(folder)/sticker.png",
      ] + place("fun", x, y, width: OverlayWork.stickerSide)
    }
  }

  /// ffmpeg's further inputs, and its filter from input 0 to "[v]".
  func ffmpeg(_ folder: String) -> (inputs: [String], filter: String)? {
    switch self {
    case .none: return nil
    case .watermark:
      let (x, y) = OverlayWork.watermarkPlace
      return (["-i", "\(folder)/watermark.png"], "[0:v][2:v]overlay=\(x):\(y)[v]")
    case .lowerThird:
      let (x, y) = OverlayWork.clockPlace
      return (
        ["-i", "\(folder)/band.png"],
        "[0:v][2:v]overlay=0:\(OverlayWork.bandTop),drawtext=font=DejaVu Sans"
          + ":fontsize=\(OverlayWork.fontHeight):fontcolor=white:x=\(x):y=\(y)"
          + ":text='\(OverlayWork.name) %{localtime\\:%T}'[v]"
      )
    case .sticker:
      let (x, y) = OverlayWork.stickerPlace
      return (
        [
          "-loop", "1", "-framerate", "\(OverlayWork.stickerRate)", "-i",
          "\(folder)/sticker-%02d.png",
        ], "[0:v][2:v]overlay=\(x):\(y)[v]"
      )
    }
  }

  /// What stands between GStreamer's picture and its encoder, and the rest of the pipeline.
  func gstreamer(_ folder: String) -> (filter: String, rest: String) {
    func mixed(_ x: Int, _ y: Int, _ source: String) -> (filter: String, rest: String) {
      (
        "! mix.sink_0 compositor name=mix sink_1::xpos=\(x) sink_1::ypos=\(y) ! videoconvert "
          + "! video/x-raw,format=I420 ",
        " \(source) ! videoconvert ! mix.sink_1"
      )
    }
    switch self {
    case .none: return ("", "")
    case .watermark:
      let (x, y) = OverlayWork.watermarkPlace
      return mixed(x, y, "filesrc location=\(folder)/watermark.png ! pngdec ! imagefreeze")
    case .lowerThird:
      let (x, y) = OverlayWork.clockPlace
      var both = mixed(
        0, OverlayWork.bandTop, "filesrc location=\(folder)/band.png ! pngdec ! imagefreeze")
      // Its size counts for a picture of 640x480 points.
      both.filter +=
        "! clockoverlay text=\(OverlayWork.name.replacing(" ", with: "_")) time-format=%H:%M:%S "
        + "font-desc=DejaVu_Sans_27 halignment=left valignment=top xpad=\(x) ypad=\(y) "
      return both
    case .sticker:
      let (x, y) = OverlayWork.stickerPlace
      return mixed(
        x, y,
        "multifilesrc location=\(folder)/sticker-%02d.png start-index=0 "
          + "stop-index=\(OverlayWork.stickerFrames - 1) loop=true "
          + "caps=image/png,framerate=\(OverlayWork.stickerRate)/1 ! pngdec")
    }
  }
}
