// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media
internal import Synchronization

/// Paints the picture of a layer that then stays as it is, such as an image.
public protocol LayerPainter: Sendable {
  /// Paints the layer's picture. Called for a still, or when the layer's size, fit or colour has changed, on a thread
  /// that may take its time. A layer whose painter throws is not drawn.
  func paint(_ target: LayerTarget) throws -> BlendPlanes
}

/// A layer source that shows what a `LayerPainter` paints. Until that is painted, the picture is composed without the
/// layer.
@safe public final class PaintedSource: LayerSource, @unchecked Sendable {
  private struct State {
    /// The size, fit and colour that the painter was asked for last.
    var wanted: LayerTarget?
    /// What the painter has painted last, and for which target; without planes if the painter has thrown.
    var painted: (target: LayerTarget, planes: BlendPlanes?)?
  }

  private let painter: any LayerPainter
  private let state = Mutex(State())
  /// The planes that are shown now, and their target. Used only by the thread that composes the picture.
  private var shown: (target: LayerTarget, planes: BlendPlanes)?

  public init(_ painter: any LayerPainter) { self.painter = painter }

  @unsafe public func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? {
    if let shown, shown.target == target { return unsafe shown.planes.picture }
    let (planes, asks) = state.withLock { state -> (BlendPlanes?, Bool) in
      if let painted = state.painted, painted.target == target { return (painted.planes, false) }
      defer { state.wanted = target }
      return (nil, state.wanted != target)
    }
    if asks { PaintingThread.shared.add { [self] in paint() } }
    shown = planes.map { (target, $0) }
    return unsafe shown?.planes.picture
  }

  public func still(_ target: LayerTarget) -> BlendPlanes? { try? painter.paint(target) }

  /// Paints the picture that was asked for last, unless that is done.
  private func paint() {
    let target = state.withLock { $0.painted?.target == $0.wanted ? nil : $0.wanted }
    guard let target else { return }
    let planes = try? painter.paint(target)
    state.withLock { $0.painted = (target, planes) }
  }
}

/// The thread on which layers are painted, one after another. It is started for the first layer that has to be painted.
private final class PaintingThread: Sendable {
  static let shared = PaintingThread()

  private let worker = Worker(name: "layers")
  private let due = Mutex<[@Sendable () -> Void]>([])

  func add(_ work: @escaping @Sendable () -> Void) {
    due.withLock { $0.append(work) }
    // Without a thread there is no layer, but the broadcast goes on.
    _ = try? worker.tryStart { [self] in run() }
    worker.wake()
  }

  private func run() {
    while !worker.isStopping {
      guard let next = due.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        worker.wait(until: .distantFuture)
        continue
      }
      next()
    }
  }
}
