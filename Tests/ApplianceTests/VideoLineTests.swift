// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Encode
import Media
import Picture
import Testing

@testable import Appliance

@Suite struct VideoLineTests {
  private let frames = NewestFrame()
  private let pool = FramePool(count: 3, capacity: 160 * 90 * 3 / 2)
  private let line: VideoLine

  init() {
    line = VideoLine(
      plan: VideoPlan(
        format: VideoFormat(
          size: PictureSize(width: 160, height: 90), framesPerSecond: 30, bitrateKbps: 500,
          speed: .superfast, colour: .bt709), gopNanos: .seconds(2), rotation: .none,
        mirror: false, fit: .fit),
      frames: frames, outlet: Outlet([]), notice: { _ in }, fatal: { _ in })
  }

  private func health(_ began: MediaTime) -> Pulse.Health {
    line.source.health(.now(), startedAt: began)
  }

  private func feed(_ pixels: PixelFormat, seconds: Double) {
    for _ in 0..<Int(seconds * 30) {
      if let blank = pool.borrow() {
        frames.put(
          blank.finish(
            format: FrameFormat(
              pixelFormat: pixels, size: PictureSize(width: 160, height: 90), colour: .bt709),
            capturedAt: .now()))
      }
      (MediaTime.now() + 33_000_000).sleepUntil()
    }
  }

  /// It delivers, and black is what viewers would get.
  @Test func aCameraOfWhichNothingCanBeReadIsLost() {
    let began = MediaTime.now()
    line.start()
    feed(.i420, seconds: 0.5)
    #expect(health(began) == .good)
    feed(.mjpeg, seconds: 1.5)
    #expect(health(began) == .lost)
    let isTold = line.unreadable.lasts(.now())
    #expect(isTold)
    // Whatever is on meanwhile, it is known when it can be read again.
    line.show(VideoLine.Scene(number: 1, since: .distantFuture))
    feed(.mjpeg, seconds: 0.2)
    #expect(health(began) == .lost)
    feed(.i420, seconds: 0.2)
    #expect(health(began) == .good)
    let isFailing = line.unreadable.isFailing
    #expect(!isFailing)
    #expect(line.stop(by: .now() + .seconds(2)))
  }
}
