// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Finds and opens the requested camera, again after each failure.
struct CameraSearch {
  private let request: CameraRequest
  private let host: any CameraHost
  /// The identity of the camera that was opened last, to find it again when its node has another number.
  private var known: VideoIdentity?
  /// The node of the camera that got stuck in the last stream, which is tried after all others; `nil` if none got
  /// stuck.
  private var silentNode: String?

  init(request: CameraRequest, host: any CameraHost) {
    self.request = request
    self.host = host
  }

  /// Opens the requested camera, or the first usable one if the request names none, and starts streaming.
  mutating func open() throws(CameraTrouble) -> CameraStream {
    let stream =
      if let path = request.path { try openRequested(path) } else { try openFirst() }
    known = stream.identity
    return stream
  }

  /// Notes why the last stream ended: if a camera got stuck, the next search tries the others first.
  mutating func note(_ trouble: CameraTrouble) {
    if case .stuck(let path, _, _) = trouble { silentNode = path } else { silentNode = nil }
  }

  /// Opens the requested node. If it is missing, opens the camera that was opened last, which may have another number
  /// now.
  private func openRequested(_ path: String) throws(CameraTrouble) -> CameraStream {
    do {
      return try stream(path, skipsPipelines: false)
    } catch {
      guard case .missing = error, let moved = nodeOfKnown() else { throw error }
      return try stream(moved, skipsPipelines: false)
    }
  }

  private func openFirst() throws(CameraTrouble) -> CameraStream {
    var nodes = host.nodes()
    if let moved = nodeOfKnown(), let index = nodes.firstIndex(of: moved) {
      nodes.insert(nodes.remove(at: index), at: 0)
    }
    if let silentNode, let index = nodes.firstIndex(of: silentNode) {
      nodes.append(nodes.remove(at: index))
    }
    var reason = CameraTrouble.missing(path: nil)
    for node in nodes {
      do {
        return try stream(node, skipsPipelines: true)
      } catch {
        // Nodes that are not cameras are not worth reporting.
        if case .notCamera = error { continue }
        if error.priority > reason.priority { reason = error }
      }
    }
    throw reason
  }

  private func stream(_ path: String, skipsPipelines: Bool) throws(CameraTrouble) -> CameraStream {
    try CameraStream(path: path, request: request, host: host, skipsPipelines: skipsPipelines)
  }

  /// The present path of the camera that was opened last; `nil` if it is not connected.
  private func nodeOfKnown() -> String? {
    guard let known else { return nil }
    return host.nodes().first { path in
      guard let device = try? host.open(path), let found = try? device.identity() else {
        return false
      }
      return found == known
    }
  }
}
