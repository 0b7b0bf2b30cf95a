// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Encode
internal import Media
internal import Picture
internal import Settings
internal import Synchronization

/// The stills of a broadcast: each made when it is first asked for, or before, and kept.
final class StillShelf: Sendable {
  private let pause: Place
  private let camera: Place
  private let network: Place

  /// A still, and how it is made.
  private final class Place: Sendable {
    private let made = Mutex<Still?>(nil)
    private let make: @Sendable () -> Still?

    init(_ make: @escaping @Sendable () -> Still?) { self.make = make }

    var still: Still? {
      made.withLock { made in
        if made == nil { made = make() }
        return made
      }
    }
  }

  /// - Parameter notice: receives why an image of the settings is not shown, and a code for programs.
  init(_ settings: Settings, notice: @escaping @Sendable (String, String) -> Void) {
    let moving = VideoPlan(settings.video).format
    let rate = Still.Rate(
      framesPerSecond: settings.slate.fps, gopNanos: Int64(settings.slate.gopSeconds * 1e9))
    func place(_ setting: String, _ path: String, _ own: StillImage.BuiltIn) -> Place {
      Place {
        if !path.isEmpty {
          do {
            return try Still(try StillImage(path: path), like: moving, rate: rate)
          } catch let error as StillError {
            notice(
              "\(setting): \(path) \(error.sentence). OnAir's own image is shown instead.",
              "still_unusable")
          } catch {
            notice(
              "\(setting): \(path) cannot be encoded (\(error)). OnAir's own image is shown instead.",
              "still_unusable")
          }
        }
        return try? Still(try StillImage(own), like: moving, rate: rate)
      }
    }
    pause = place("pause.image", settings.pause.image, .pause)
    camera = place("slate.camera_image", settings.slate.cameraImage, .noCamera)
    network = place("slate.network_image", settings.slate.networkImage, .poorNetwork)
  }

  /// - Returns: `nil` when it cannot be made: there is no memory, or no thread.
  func still(_ picture: Plan.Picture) -> Still? {
    switch picture {
    case .pauseStill: pause.still
    case .cameraStill: camera.still
    case .networkStill: network.still
    case .none, .camera: nil
    }
  }

  /// Makes them all, on a thread of its own, while nothing waits for them.
  func warm() {
    _ = try? MediaThread(attempting: "stills", urgency: .ordinary) { [self] in
      // The start has more urgent things to do.
      (MediaTime.now() + .seconds(1)).sleepUntil()
      for place in [pause, camera, network] { _ = place.still }
    }
  }
}
