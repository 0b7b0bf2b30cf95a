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

/// Shows what a painter paints. Until it is painted, the picture is as without the layer; while it is painted again, it is as
/// before.
@safe public final class PaintedSource: LayerSource, @unchecked Sendable {
  /// What is asked of the painter.
  private struct Order: Equatable {
    var target: LayerTarget
    /// Rises with each `repaint`.
    var version: Int
  }

  private struct State {
    /// What the painter was asked for last.
    var wanted: Order?
    /// What it has painted last; without planes if it has thrown.
    var painted: (order: Order, planes: BlendPlanes?)?
  }

  private let painter: any LayerPainter
  private let version = Atomic(0)
  private let state = Mutex(State())
  /// How long a picture that is not the newest may be shown after a gap, in nanoseconds.
  private static let patience = Int64.seconds(1)

  /// The picture that is shown now. Used only by the thread that composes, as the next three.
  private var shown: (order: Order, planes: BlendPlanes?)?
  /// Nothing older is shown: it was painted before a pause, or before the layer was hidden.
  private var leastVersion = 0
  private var lastSince = MediaTime.distantPast
  private var lastTime = MediaTime.distantPast
  /// Whether stills show it. A still is not prepared again when a text changes: it would show old words.
  private let isOnStills: Bool

  /// - Parameter isOnStills: whether stills may show it, as it is when the still is prepared.
  public init(_ painter: any LayerPainter, isOnStills: Bool = true) {
    self.painter = painter
    self.isOnStills = isOnStills
    PaintingThread.shared.start()
  }

  /// Lets the painter paint again, because what it paints has changed.
  public func repaint() { version.wrappingAdd(1, ordering: .releasing) }

  @unsafe public func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? {
    let order = Order(target: target, version: version.load(ordering: .acquiring))
    // What was painted before a pause, or before the layer was hidden, may be private by now.
    if since != lastSince || time - lastTime > PaintedSource.patience {
      leastVersion = order.version
    }
    (lastSince, lastTime) = (since, time)
    if let shown, shown.order == order { return unsafe shown.planes?.picture }
    let asks = state.withLock { state in
      // One that is not the newest is shown, too: a painter may be slower than what it paints changes.
      if let painted = state.painted, painted.order.target == target { shown = painted }
      guard state.painted?.order != order, state.wanted != order else { return false }
      state.wanted = order
      return true
    }
    if asks { PaintingThread.shared.add { [self] in paint() } }
    if let shown, shown.order.version < leastVersion || shown.order.target != target {
      self.shown = nil
    }
    return unsafe shown?.planes?.picture
  }

  public func still(_ target: LayerTarget) -> BlendPlanes? {
    isOnStills ? try? painter.paint(target) : nil
  }

  /// Paints the picture that was asked for last, unless that is done.
  private func paint() {
    let order = state.withLock { $0.painted?.order == $0.wanted ? nil : $0.wanted }
    guard let order else { return }
    let planes = try? painter.paint(order.target)
    state.withLock { $0.painted = (order, planes) }
  }
}

/// The thread on which layers are painted, one after another. It starts with the first source.
private final class PaintingThread: Sendable {
  static let shared = PaintingThread()

  private let worker = Worker(name: "layers")
  private let due = Mutex<[@Sendable () -> Void]>([])

  func start() {
    // Without a thread there is no layer, but the broadcast goes on.
    _ = try? worker.tryStart { [self] in run() }
  }

  func add(_ work: @escaping @Sendable () -> Void) {
    due.withLock { $0.append(work) }
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
