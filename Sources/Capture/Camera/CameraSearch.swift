// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Finds and opens the requested camera.
struct CameraSearch {
  private let request: CameraRequest
  private let host: any CameraHost
  /// The camera that ran last, to find it again under another number.
  private var known: VideoIdentity?
  /// The node that was opened last but sent nothing: the others are tried first.
  private var silentNode: String?

  init(request: CameraRequest, host: any CameraHost) {
    self.request = request
    self.host = host
  }

  /// Opens the camera and starts streaming.
  mutating func open() throws(CameraTrouble) -> CameraStream {
    let stream =
      if let path = request.path { try openRequested(path) } else { try openFirst() }
    known = stream.identity
    return stream
  }

  /// Notes why a stream ended, for the next search.
  mutating func note(_ trouble: CameraTrouble) {
    if case .stuck(let path, _, _) = trouble { silentNode = path } else { silentNode = nil }
  }

  /// Opens the requested node, or the same camera under another number.
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

  /// The present path of the camera that ran last.
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
