// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Encode

struct EncoderThreadsTests {
  @Test(
    arguments: [
      (height: 720, processors: 1, threads: 1), (720, 2, 2), (720, 8, 8), (1080, 8, 8),
      (360, 4, 4), (360, 8, 4), (90, 8, 1), (16, 4, 1),
    ])
  func aFrameIsSharedWhileEachHasFiveRows(height: Int, processors: Int, threads: Int) {
    #expect(X264Settings.threads(height: height, processors: processors) == threads)
  }

  @Test func theProcessorsOfTheThreadCount() throws {
    let format = VideoFormat(
      size: PictureSize(width: 1_280, height: 720), framesPerSecond: 30, bitrateKbps: 2_000,
      speed: .veryfast, colour: .bt709)
    let parameters = try unsafe X264Settings.parameters(format)
    let threads = unsafe Int(parameters.i_threads)
    #expect(threads == min(9, Processors.availableToThread))
  }
}
