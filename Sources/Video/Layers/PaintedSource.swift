// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media
internal import Synchronization

/// A painted layer: a picture that stays the same, or one that moves.
public protocol PaintedLayer: AnyObject, Sendable {
  /// The picture to show. Called for each frame, on the thread that composes frames: the method must not wait or
  /// allocate memory.
  /// - Parameter age: nanoseconds since the layer came into view.
  @unsafe func picture(at age: Int64) -> LayerPicture
}

extension BlendPlanes: PaintedLayer {
  /// The same picture at any age, since the drawing does not move.
  @unsafe public func picture(at age: Int64) -> LayerPicture { unsafe picture }
}

/// Paints a layer from content that is known in advance, such as an image or a text.
public protocol LayerPainter: Sendable {
  associatedtype Painted: PaintedLayer

  /// Paints the layer for live video. `PaintedSource` calls this on a painting thread when the layer's size, fit,
  /// colour or content has changed. It may take long. A layer whose painter throws is not drawn.
  func paint(_ target: LayerTarget) throws -> Painted

  /// Paints the layer for a still. `PaintedSource` calls this on the thread that prepares the still, perhaps while
  /// `paint` runs on the painting thread.
  func paintStill(_ target: LayerTarget) throws -> BlendPlanes
}

extension LayerPainter where Painted == BlendPlanes {
  /// Paints the same as `paint`, since the layer does not move.
  public func paintStill(_ target: LayerTarget) throws -> BlendPlanes { try paint(target) }
}

/// A layer source that shows the result of a painter, which paints on another thread. Before the first result, the
/// source shows the picture of its predecessor, or nothing. While the painter paints again, for another size or another
/// text, the source shows the earlier result.
@safe public final class PaintedSource: LayerSource, @unchecked Sendable {
  /// A request to the painter.
  private struct Order: Equatable {
    var target: LayerTarget
    /// The number of calls of `repaint` before this order.
    var version: Int
  }

  /// The result of an order; `layer` is `nil` if the painter has thrown an error.
  private typealias Painted = (order: Order, layer: (any PaintedLayer)?)

  /// The state that the source and the painter's thread share.
  private struct State {
    /// The last order to the painter.
    var wanted: Order?
    /// The last result of the painter.
    var painted: Painted?
  }

  /// The last result of `picture`, and when it was returned. Used only by the thread that composes the picture.
  private struct View {
    /// The result that is shown; `nil` if nothing is shown.
    var shown: Painted?
    /// The lowest `Order.version` that may be shown. Older results were painted before a pause, or before the layer was
    /// hidden.
    var leastVersion = 0
    /// The arguments `since` and `time` of the last call of `picture`.
    var lastSince = MediaTime.distantPast
    var lastTime = MediaTime.distantPast
    /// When the layer last came into view.
    var inViewSince = MediaTime.distantPast
  }

  /// The longest time between two calls of `picture` while the layer is visible, in nanoseconds. If more time has
  /// passed, the layer was hidden, and only a picture of the current content may be shown.
  private static let maxCallGapNanos = Int64.seconds(1)

  /// Paints the layer.
  private let painter: any LayerPainter
  /// The thread on which `painter` paints for live video.
  private let thread: PaintingThread
  /// The number of calls of `repaint`.
  private let version = Atomic(0)
  /// The last order to the painter, and the painter's last result.
  private let state = Mutex(State())
  /// The picture that was returned last.
  private var view = View()
  /// The buffer in which an earlier picture is scaled to another size of the programme.
  private var scaled: BlendPlanes?
  /// The source that this one replaces. Its picture is shown until the first painting. Used and released by the thread
  /// that composes the picture.
  private var predecessor: PaintedSource?
  /// Whether stills show the layer. Stills must not show a text that changes: a still is not prepared again when the
  /// text changes, and would show the old text.
  private let isOnStills: Bool

  /// - Parameters:
  ///   - isOnStills: whether stills may show the layer, with the content that it has when the still is prepared.
  ///   - isSlow: whether painting takes so long that a person notices. A slow painter has another thread than the
  ///     others, so that their layers do not wait.
  ///   - predecessor: the source that showed the layer before. Its last picture stays until this source has painted.
  ///     The predecessor must not be used elsewhere.
  public init(
    _ painter: any LayerPainter, isOnStills: Bool = true, isSlow: Bool = false,
    after predecessor: PaintedSource? = nil
  ) {
    self.painter = painter
    self.isOnStills = isOnStills
    self.predecessor = predecessor
    thread = isSlow ? .slow : .fast
    thread.start()
  }

  /// Lets the painter paint again, because what it paints has changed.
  public func repaint() { version.wrappingAdd(1, ordering: .releasing) }

  /// Lets the painter try once more if it has thrown.
  public func retry() {
    state.withLock { state in
      if let painted = state.painted, painted.layer == nil { state = State() }
    }
  }

  /// Whether the painter was asked to paint at least once; `retry` may reset this to `false`. Without a request, no
  /// painting can be outdated.
  public var isPaintingRequested: Bool { state.withLock { $0.wanted != nil } }

  /// The number of calls of `repaint`; always 0 if stills do not show the layer.
  public var stillVersion: Int { isOnStills ? version.load(ordering: .acquiring) : 0 }

  /// The painter's last result. If `target` or the content has changed since, asks the painter to paint again.
  @unsafe public func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? {
    takeOverView()
    let order = Order(target: target, version: version.load(ordering: .acquiring))
    // After a pause, or after the layer was hidden, do not show the version from before: its content may be private
    // now.
    if since != view.lastSince || time - view.lastTime > PaintedSource.maxCallGapNanos {
      (view.leastVersion, view.inViewSince) = (order.version, time)
    }
    (view.lastSince, view.lastTime) = (since, time)
    // If `layer` is `nil`, the painter has thrown an error, and `retry` may have been called since.
    if view.shown?.order != order || view.shown?.layer == nil {
      let asks = state.withLock { state in
        // A result that is not the newest is shown, too: the content may change faster than the painter paints.
        if let painted = state.painted { view.shown = painted }
        guard state.painted?.order != order, state.wanted != order else { return false }
        state.wanted = order
        return true
      }
      if asks { thread.add { [self] in paint() } }
      if let shown = view.shown, shown.order.version < view.leastVersion { view.shown = nil }
    }
    guard let shown = view.shown, let layer = shown.layer else { return nil }
    let picture = unsafe layer.picture(at: max(0, time - view.inViewSince))
    return unsafe scale(picture, from: shown.order.target.picture, to: target.picture)
  }

  /// At the first call, takes over the picture that the predecessor shows.
  private func takeOverView() {
    guard let before = predecessor.take() else { return }
    before.takeOverView()
    view = before.view
    // The version numbers of the predecessor have no meaning for this source.
    view.leastVersion = .min
    view.shown?.order.version = .min
  }

  /// Scales a picture that was painted for a programme of the size `old` to a programme of the size `new`.
  @unsafe private func scale(
    _ picture: LayerPicture, from old: PictureSize, to new: PictureSize
  ) -> LayerPicture {
    guard old != new else { return unsafe picture }
    let factor = min(
      Double(new.width) / Double(old.width), Double(new.height) / Double(old.height))
    func side(_ pixels: Int) -> Int { max(2, Int((Double(pixels) * factor / 2).rounded()) * 2) }
    let size = unsafe PictureSize(
      width: side(picture.planes.size.width), height: side(picture.planes.size.height))
    let planes = scaled?.size == size ? scaled : nil
    let out = planes ?? BlendPlanes(transparent: size)
    scaled = out
    unsafe out.fill(scaling: picture)
    return unsafe out.picture
  }

  /// Paints the layer for a still; `nil` if stills do not show the layer, or the painter throws.
  public func still(_ target: LayerTarget) -> BlendPlanes? {
    isOnStills ? try? painter.paintStill(target) : nil
  }

  /// Lets the painter paint what the last order asks for, unless it has painted that already.
  private func paint() {
    let order = state.withLock { $0.painted?.order == $0.wanted ? nil : $0.wanted }
    guard let order else { return }
    let layer: (any PaintedLayer)? = try? painter.paint(order.target)
    state.withLock { $0.painted = (order, layer) }
  }
}

/// A thread on which layers are painted, one after another. The thread is started when the first source is made.
private final class PaintingThread: Sendable {
  /// The thread for painters that are fast.
  static let fast = PaintingThread("layers")
  /// The thread for painters that take long.
  static let slow = PaintingThread("stickers")

  /// The thread that paints.
  private let worker: Worker
  /// The paintings that are still to be done, in their order.
  private let paintings = Mutex<[@Sendable () -> Void]>([])

  private init(_ name: String) { worker = Worker(name: name) }

  /// Starts the thread, unless it was started before.
  func start() {
    // If the thread cannot be started, the layer is not shown, but the broadcast goes on.
    _ = try? worker.tryStart { [self] in run() }
  }

  /// Queues `work`, which paints a picture, for the worker's thread, behind the work that is queued already.
  func add(_ work: @escaping @Sendable () -> Void) {
    paintings.withLock { $0.append(work) }
    worker.wake()
  }

  /// The body of the thread: does the paintings one after another.
  private func run() {
    while !worker.isStopping {
      guard let next = paintings.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        worker.wait(until: .distantFuture)
        continue
      }
      next()
    }
  }
}
