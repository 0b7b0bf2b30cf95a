// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Posix

/// The folders through which OnAir and the root unit that mounts sticks (systemd/onair-media) know of each other.
public struct StickPlaces: Sendable {
  /// The name of the file that requests a removal, in `requests`.
  static let requestName = "media-request"

  /// The folder in which sticks are mounted; it belongs to root.
  let media: String
  /// The folder in which OnAir leaves requests.
  let requests: String

  /// - Parameter environment: `ONAIR_MEDIA` names the folder in which sticks are mounted, and `RUNTIME_DIRECTORY` the
  ///   one for requests.
  /// - Returns: `nil` if either is missing: this machine mounts no sticks for OnAir.
  public init?(environment: [String: String]) {
    guard let media = environment["ONAIR_MEDIA"], let requests = environment["RUNTIME_DIRECTORY"]
    else { return nil }
    (self.media, self.requests) = (media, requests)
  }

  /// The folder with a file for each device.
  var list: String { "\(media)/sticks" }

  /// The sticks that are plugged in, in the order of their devices' names.
  public var sticks: [Stick] {
    File.names(in: list).filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
      File.kernelText("\(list)/\(name)").flatMap { Stick(device: name, text: $0, in: media) }
    }
  }

  /// Requests that a stick is unmounted, so that it can be pulled. All files on it must be closed before.
  public func requestRemoval(of stick: Stick) throws(SystemError) {
    try File.replace(
      StickPlaces.requestName, in: requests, with: Array("remove \(stick.id)\n".utf8))
  }
}

extension [Stick] {
  /// The stick that recordings go to: the one that was used last if it is ready, else the ready one with the most room.
  /// - Parameter id: the `id` of the stick that was used last; `nil` if there was none.
  /// - Returns: `nil` if none is ready.
  public func chosen(lastUsed id: String?) -> Stick? {
    let ready = filter { $0.directory != nil }
    return ready.first { $0.id == id }
      // Of several with the same room the first.
      ?? ready.max { ($0.freeBytes ?? 0) < ($1.freeBytes ?? 0) }
  }
}
