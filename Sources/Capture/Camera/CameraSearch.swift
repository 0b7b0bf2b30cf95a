// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Finds the camera that is asked for, again and again.
struct CameraSearch {
  private let request: CameraRequest
  private let host: any CameraHost
  /// Who ran last: found again under another number.
  private var known: VideoIdentity?
  /// The node that was last tried and sent nothing: the others come first.
  private var dead: String?

  init(request: CameraRequest, host: any CameraHost) {
    self.request = request
    self.host = host
  }

  /// Opens and starts the camera.
  mutating func open() throws(CameraTrouble) -> CameraStream {
    let stream =
      if let path = request.path { try open(set: path) } else { try openFirst() }
    known = stream.identity
    return stream
  }

  /// Learns from how a stream ended.
  mutating func note(_ trouble: CameraTrouble) {
    if case .stuck(let path, _, _) = trouble { dead = path } else { dead = nil }
  }

  /// The set device, or the same one under another number.
  private func open(set path: String) throws(CameraTrouble) -> CameraStream {
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
    if let dead, let index = nodes.firstIndex(of: dead) { nodes.append(nodes.remove(at: index)) }
    var reason = CameraTrouble.missing(path: nil)
    for node in nodes {
      do {
        return try stream(node, skipsPipelines: true)
      } catch {
        // Nodes that are no cameras are no reason: there is simply none.
        if case .notCamera = error { continue }
        if error.weight > reason.weight { reason = error }
      }
    }
    throw reason
  }

  private func stream(_ path: String, skipsPipelines: Bool) throws(CameraTrouble) -> CameraStream {
    try CameraStream(path: path, request: request, host: host, skipsPipelines: skipsPipelines)
  }

  /// Where the camera is that ran last.
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
