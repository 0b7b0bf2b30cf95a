// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Finds and opens the requested camera, at the start and again after each failure.
struct CameraSearch {
  /// The requested camera and mode.
  private let request: CameraRequest
  /// Lists and opens the machine's video devices.
  private let host: any CameraHost
  /// The identity of the camera that was opened last; `nil` before the first one. Used to find this camera again when
  /// its node /dev/videoN has another number.
  private var lastIdentity: VideoIdentity?
  /// The path of the camera that got stuck in the last stream. This camera is tried after all others. `nil` if the last
  /// stream ended for another reason.
  private var stuckNode: String?

  init(request: CameraRequest, host: any CameraHost) {
    self.request = request
    self.host = host
  }

  /// Opens the requested camera, or the first usable one if the request names none, and starts streaming.
  mutating func open() throws(CameraTrouble) -> CameraStream {
    let stream =
      if let path = request.path { try openRequested(path) } else { try openFirst() }
    lastIdentity = stream.identity
    return stream
  }

  /// Remembers the camera of the last stream if it got stuck: the next search then tries all other cameras first.
  mutating func recordFailure(_ trouble: CameraTrouble) {
    if case .stuck(let path, _, _) = trouble { stuckNode = path } else { stuckNode = nil }
  }

  /// Opens the requested node. If the node is missing, opens the camera that was opened last, whose node /dev/videoN
  /// may have another number now.
  private func openRequested(_ path: String) throws(CameraTrouble) -> CameraStream {
    do {
      return try stream(path, skipsPipelines: false)
    } catch {
      guard case .missing = error, let moved = nodeOfLastCamera() else { throw error }
      return try stream(moved, skipsPipelines: false)
    }
  }

  /// Opens the first usable camera. If no camera is usable, throws the trouble with the highest priority.
  private func openFirst() throws(CameraTrouble) -> CameraStream {
    var nodes = host.nodes()
    if let moved = nodeOfLastCamera(), let index = nodes.firstIndex(of: moved) {
      nodes.insert(nodes.remove(at: index), at: 0)
    }
    if let stuckNode, let index = nodes.firstIndex(of: stuckNode) {
      nodes.append(nodes.remove(at: index))
    }
    var reason = CameraTrouble.missing(path: nil)
    for node in nodes {
      do {
        return try stream(node, skipsPipelines: true)
      } catch {
        // Do not report a node that is not a camera as the reason.
        if case .notCamera = error { continue }
        if error.priority > reason.priority { reason = error }
      }
    }
    throw reason
  }

  /// Opens the node at `path` and starts streaming.
  /// - Parameter skipsPipelines: whether to refuse a node that works only after a program has configured its pipeline
  ///   through the media controller.
  private func stream(_ path: String, skipsPipelines: Bool) throws(CameraTrouble) -> CameraStream {
    try CameraStream(path: path, request: request, host: host, skipsPipelines: skipsPipelines)
  }

  /// The path that the camera that was opened last has now; `nil` if this camera is not connected.
  private func nodeOfLastCamera() -> String? {
    guard let lastIdentity else { return nil }
    return host.nodes().first { path in
      guard let device = try? host.open(path), let found = try? device.identity() else {
        return false
      }
      return found == lastIdentity
    }
  }
}
