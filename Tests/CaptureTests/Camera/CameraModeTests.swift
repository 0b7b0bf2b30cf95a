// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Testing

@testable import Capture

/// Modes from a table of sizes and rates.
private func modes(_ format: FourCC, _ table: [(Int, Int, [Double])]) -> [CameraMode] {
  table.flatMap { width, height, rates in
    rates.map {
      CameraMode(
        format: format, size: PictureSize(width: width, height: height),
        interval: FrameInterval(numerator: 1000, denominator: UInt32($0 * 1000)))
    }
  }
}

private func request(
  _ width: Int, _ height: Int, _ rate: Int, _ format: CameraRequest.Format = .automatic
) -> CameraRequest {
  CameraRequest(
    size: PictureSize(width: width, height: height), framesPerSecond: rate, format: format)
}

private func choice(_ modes: [CameraMode], _ request: CameraRequest) -> String {
  guard let mode = chooseMode(modes, request) else { return "none" }
  return "\(mode.size) \(mode.format) \(rateText(mode.framesPerSecond ?? 0))"
}

@Suite struct CameraModeTests {
  /// A webcam whose bus is too slow for large uncompressed frames.
  let webcam =
    modes(
      FourCC("YUYV"),
      [
        (160, 120, [30, 25, 15, 5]), (320, 180, [30, 25, 15, 5]), (640, 360, [30, 25, 15, 5]),
        (640, 480, [30, 25, 15, 5]), (960, 720, [10, 5]), (1280, 720, [7.5, 5]),
        (1280, 960, [7.5, 5]),
      ])
    + modes(
      FourCC("MJPG"),
      [
        (640, 360, [30, 25, 15]), (640, 480, [30, 25, 15]), (960, 720, [30, 15]),
        (1280, 720, [30, 25, 15]), (1280, 960, [30, 15]),
      ])

  @Test(arguments: [
    (1280, 720, 30, "1280x720 MJPG 30"),
    (640, 480, 30, "640x480 YUYV 30"),
    (640, 360, 30, "640x360 YUYV 30"),
    (640, 360, 25, "640x360 YUYV 25"),
    (640, 360, 20, "640x360 YUYV 25"),
    (1280, 720, 5, "1280x720 YUYV 5"),
    // Larger than any mode: the largest of the requested shape.
    (1920, 1080, 30, "1280x720 MJPG 30"),
    // A rate that it does not offer.
    (640, 480, 60, "640x480 YUYV 30"),
    // A size that it does not offer: the next larger one of the requested shape.
    (854, 480, 30, "1280x720 MJPG 30"),
    (800, 600, 30, "960x720 MJPG 30"),
  ])
  func webcamMode(width: Int, height: Int, rate: Int, expected: String) {
    #expect(choice(webcam, request(width, height, rate)) == expected)
  }

  @Test func rateMattersMoreThanSize() {
    let uncompressed = webcam.filter { $0.format == FourCC("YUYV") }
    #expect(choice(uncompressed, request(1280, 720, 30)) == "640x360 YUYV 30")
    // But a tiny picture at the full rate loses.
    let slow = modes(FourCC("YUYV"), [(160, 120, [30]), (1280, 720, [25])])
    #expect(choice(slow, request(1280, 720, 30)) == "1280x720 YUYV 25")
  }

  @Test func aRequestedFormatIsUsedIfOffered() {
    #expect(
      choice(webcam, request(640, 480, 30, .straight(.mjpeg))) == "640x480 MJPG 30")
    #expect(choice(webcam, request(640, 480, 30, .straight(.nv12))) == "640x480 YUYV 30")
    #expect(choice(webcam, request(640, 480, 30, .other)) == "640x480 YUYV 30")
    // Even if it reduces the size.
    #expect(
      choice(webcam, request(1280, 720, 30, .straight(.yuyv))) == "640x360 YUYV 30")
  }

  @Test func theCheapestOfEqualFormatsWins() {
    let sizes = [(640, 360, [30.0])]
    let all = ["RGB3", "BA81", "GREY", "YVYU", "JPEG", "NV21", "UYVY", "YUYV", "YU12", "NV12"]
      .map { FourCC($0 as StaticString) }
    var offered = all
    var taken: [String] = []
    while let mode = chooseMode(offered.flatMap { modes($0, sizes) }, request(640, 360, 30)) {
      taken.append(mode.format.description)
      offered.removeAll { $0 == mode.format }
    }
    #expect(
      taken == ["NV12", "YU12", "YUYV", "UYVY", "NV21", "JPEG", "YVYU", "RGB3", "GREY", "BA81"])
    #expect(chooseMode(modes(FourCC("H264"), sizes), request(640, 360, 30)) == nil)
  }

  @Test func ratesAreComparedAsFractions() {
    // The webcam input of the kernel's test driver vivid.
    let vivid = modes(
      FourCC("YUYV"),
      [(320, 180, [30, 60]), (640, 360, [1, 10, 25, 29.97, 30, 50, 60]), (1280, 720, [10, 30])])
    #expect(choice(vivid, request(640, 360, 30)) == "640x360 YUYV 30")
    #expect(choice(vivid, request(640, 360, 50)) == "640x360 YUYV 50")
    #expect(choice(vivid, request(640, 360, 55)) == "640x360 YUYV 60")
    // 29.97 counts as 30, so the larger size is not used for it.
    let broadcast = modes(FourCC("UYVY"), [(1280, 720, [29.97]), (1920, 1080, [30])])
    #expect(choice(broadcast, request(1280, 720, 30)) == "1280x720 UYVY 29.97")
    // Nor a more expensive format.
    let both = broadcast + modes(FourCC("MJPG"), [(1280, 720, [30])])
    #expect(choice(both, request(1280, 720, 30)) == "1280x720 UYVY 29.97")
  }

  @Test func aModeWithoutRateCountsAsRequested() {
    let silent = [CameraMode(format: FourCC("UYVY"), size: PictureSize(width: 720, height: 576))]
    #expect(choice(silent, request(640, 480, 25)) == "720x576 UYVY 0")
  }

  @Test(arguments: [
    (1280, 720, ["1280x720"]),
    // Not a multiple of the step: the next larger one.
    (854, 480, ["856x480"]),
    (100, 50, ["160x96"]),
    // Too large: the largest of the same shape, and the nearest in each dimension.
    (1920, 1080, ["1600x900", "1600x1080"]),
    (1200, 2400, ["600x1200", "1200x1200"]),
  ])
  func stepwiseSizes(width: Int, height: Int, expected: [String]) {
    let offer = SizeOffer.range(
      minimum: PictureSize(width: 160, height: 96),
      maximum: PictureSize(width: 1600, height: 1200), step: PictureSize(width: 8, height: 4))
    let found = offer.candidates(for: PictureSize(width: width, height: height))
    #expect(found.map { $0.description } == expected)
  }

  @Test func stepwiseIntervals() {
    let offer = IntervalOffer.range(
      shortest: FrameInterval(numerator: 1, denominator: 60),
      longest: FrameInterval(numerator: 1, denominator: 10))
    #expect(offer.candidate(framesPerSecond: 30).framesPerSecond == 30)
    #expect(offer.candidate(framesPerSecond: 5).framesPerSecond == 10)
    #expect(offer.candidate(framesPerSecond: 90).framesPerSecond == 60)
    // An invalid range is ignored.
    let invalid = IntervalOffer.range(
      shortest: FrameInterval(numerator: 0, denominator: 0),
      longest: FrameInterval(numerator: 0, denominator: 0))
    #expect(invalid.candidate(framesPerSecond: 25).framesPerSecond == 25)
  }

  @Test func theDifferenceFromTheRequestIsDescribed() {
    func text(_ format: FourCC, _ rate: Double, _ request: CameraRequest) -> String? {
      difference(of: modes(format, [(640, 480, [rate])])[0], from: request)
    }
    let yuyv = FourCC("YUYV")
    #expect(text(yuyv, 30, request(640, 480, 30)) == nil)
    #expect(text(yuyv, 29.97, request(640, 480, 30)) == nil)
    #expect(text(yuyv, 30, request(1280, 720, 30)) == "1280x720 was requested")
    #expect(text(yuyv, 15, request(640, 480, 30)) == "30/s was requested")
    #expect(
      text(yuyv, 15, request(1280, 720, 30, .straight(.nv12)))
        == "1280x720, NV12, 30/s were requested")
    #expect(text(FourCC("RGB3"), 30, request(640, 480, 30, .other)) == nil)
    let selection = CameraSelection(
      name: "Cam", path: "/dev/video0", size: PictureSize(width: 640, height: 480),
      format: "YUYV", framesPerSecond: 30, difference: "1280x720 was requested")
    #expect(selection.summary == "640x480 YUYV at 30/s; 1280x720 was requested")
  }

  @Test func ratesAsText() {
    #expect([30, 29.97, 7.5, 0.05].map { rateText($0) } == ["30", "29.97", "7.5", "0.05"])
  }
}
