// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// The last picture of an arrangement, which fades out over the next one. It stands still meanwhile.
struct Crossfade {
  private let picture: PlaneBuffer
  /// What the picture shows besides the camera.
  let sources: [any LayerSource]
  /// The timestamp of the last frame without the next arrangement.
  private let startsAt: MediaTime
  private let nanos: Int64
  /// Nothing in the picture was captured before this time.
  private let since: MediaTime

  init(
    _ picture: PlaneBuffer, of sources: [any LayerSource], startsAt: MediaTime, nanos: Int64,
    since: MediaTime
  ) {
    (self.picture, self.sources) = (picture, sources)
    (self.startsAt, self.nanos, self.since) = (startsAt, nanos, since)
  }

  /// Whether the picture can be seen at this time. It cannot once one of its sources is hidden, or after a pause.
  func isSeen(at time: MediaTime, since: MediaTime) -> Bool {
    time - startsAt < nanos && since <= self.since && !sources.contains { $0.isHidden }
  }

  /// Draws the picture, as far as it has not faded out at `time`, on a buffer of its size.
  func draw(on out: PlaneBuffer, at time: MediaTime) {
    let left = 1 - Double(max(0, time - startsAt)) / Double(nanos)
    unsafe Blender.draw(
      LayerPicture(picture.picture), on: out.planes(), size: out.size,
      in: Rectangle(x: 0, y: 0, size: picture.size), opacity: UInt8((left * 255).rounded()))
  }
}
