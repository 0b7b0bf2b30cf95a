// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix
internal import Synchronization
public import Video

/// What an overlay shows.
public enum OverlayContent: Hashable, Sendable {
  /// A PNG or JPEG file.
  case image(path: String)
  /// A text with variables, in a style.
  case text(String, TextStyle)
}

/// Why an overlay is not shown as a person expects.
public enum OverlayTrouble: Sendable, Equatable {
  case image(StillError)
  /// No font has some of its characters.
  case missingCharacters
  /// There is not enough memory.
  case notDrawn

  /// The setting of the overlay that is to be changed.
  public var field: String {
    switch self {
    case .image: "file"
    case .missingCharacters: "text"
    case .notDrawn: "size"
    }
  }

  /// To be read after the name of that setting.
  public var sentence: String {
    switch self {
    case .image(let error): error.sentence
    case .missingCharacters:
      "has characters that no font here has: they are shown as boxes. Write them in other letters"
    case .notDrawn: "cannot be drawn, because there is not enough memory. Make the overlay smaller"
    }
  }
}

/// Keeps the sources of overlays, and lets them be painted again when a variable of a text, or a file, changes. On a thread of
/// its own, which begins with the first overlay.
public final class OverlayKeeper: Sendable {
  /// Nanoseconds between two looks at files.
  private static let filePause = Int64.milliseconds(500)

  private struct Kept {
    let content: OverlayContent
    let source: PaintedSource
    /// `nil` for an image.
    let text: (template: TextTemplate, painter: TextPainter)?
    /// The image file as it was when the image was painted last.
    var stamp: FileStamp?
    /// The image file at the last look: one that still changes is not read.
    var seen: FileStamp?
    var trouble: OverlayTrouble?
  }

  private struct TextFile {
    /// The file as it was when it was read, and at the last look; `nil` without a file.
    var stamp, seen: FileStamp?
    var text = ""
  }

  private struct State {
    /// By the overlay's name.
    var kept: [String: Kept] = [:]
    var facts = TextFacts()
    /// The text files that variables name.
    var files: [String: TextFile] = [:]
  }

  private let state = Mutex(State())
  private let worker: Worker
  private let wallClock: WallClock
  /// The folder of uploaded files; `nil` without one.
  private let folder: String?
  private let notice: @Sendable (_ name: String, OverlayTrouble, _ isOver: Bool) -> Void

  /// - Parameters:
  ///   - folder: the folder of uploaded files, in which texts find the files that they name.
  ///   - notice: receives the trouble of an overlay, and the same again once it is over.
  public init(
    folder: String? = nil, clock: MediaClock = .system, wallClock: WallClock = .system,
    notice: @escaping @Sendable (_ name: String, OverlayTrouble, _ isOver: Bool) -> Void = {
      _, _, _ in
    }
  ) {
    worker = Worker(name: "overlays", clock: clock)
    self.wallClock = wallClock
    self.folder = folder
    self.notice = notice
  }

  /// Asks the thread to end. Does not wait for it, since it may hang while it reads a file.
  public func stop() { worker.requestStop() }

  /// The sources of all overlays, by name. An overlay with the same content as before keeps its source. Others than these
  /// are forgotten.
  public func sources(_ contents: [String: OverlayContent]) -> [String: any LayerSource] {
    let (sources, over) = state.withLock { state in
      let before = state.kept
      state.kept = contents.reduce(into: [:]) { kept, overlay in
        let old = before[overlay.key]
        kept[overlay.key] =
          old?.content == overlay.value ? old : make(overlay.value, for: overlay.key)
      }
      let paths = Set(state.kept.values.flatMap { $0.text?.template.files ?? [] })
      state.files = state.files.filter { paths.contains($0.key) }
      let over = before.compactMapValues { $0.trouble }.filter { name, _ in
        state.kept[name]?.source !== before[name]?.source
      }
      return (state.kept.mapValues(\.source), over)
    }
    for (name, trouble) in over { notice(name, trouble, true) }
    if !contents.isEmpty {
      // Without a thread texts are missing, but the broadcast goes on.
      _ = try? worker.tryStart { [self] in
        while !worker.isStopping { look() }
      }
      worker.wake()
    }
    return sources
  }

  /// Changes what variables stand for.
  public func update(_ change: (inout TextFacts) -> Void) {
    let isChanged = state.withLock { state in
      let before = state.facts
      change(&state.facts)
      return state.facts != before
    }
    if isChanged { worker.wake() }
  }

  private func make(_ content: OverlayContent, for name: String) -> Kept {
    switch content {
    case .image(let path):
      let painter = ImagePainter(path: path) { [weak self] error in
        self?.note(error, of: name, content)
      }
      return Kept(content: content, source: PaintedSource(painter), text: nil)
    case .text(let text, let style):
      let painter = TextPainter(style) { [weak self] trouble in
        self?.note(trouble, of: name, content)
      }
      let template = TextTemplate(text)
      // A still may ask for it before the thread has looked.
      if template.isFixed { _ = painter.set(text) }
      return Kept(
        content: content, source: PaintedSource(painter, isOnStills: template.isFixed),
        text: (template, painter))
    }
  }

  private func note(_ trouble: OverlayTrouble?, of name: String, _ content: OverlayContent) {
    let (old, new) = state.withLock { state -> (OverlayTrouble?, OverlayTrouble?) in
      guard let kept = state.kept[name], kept.content == content, kept.trouble != trouble else {
        return (nil, nil)
      }
      state.kept[name]?.trouble = trouble
      return (kept.trouble, trouble)
    }
    if let old, new == nil { notice(name, old, true) }
    if let new { notice(name, new, false) }
  }

  private func look() {
    refresh()
    lookAtImages()
    worker.wait(until: nextLook)
  }

  private var nextLook: MediaTime {
    let (hasTime, isEmpty) = state.withLock { state in
      (state.kept.values.contains { $0.text?.template.hasTime ?? false }, state.kept.isEmpty)
    }
    if isEmpty { return .distantFuture }
    let now = worker.clock.now
    // Just after the wall clock's next second.
    let second = now + .milliseconds(1_001 - wallClock.milliseconds % 1_000)
    return hasTime ? min(second, now + OverlayKeeper.filePause) : now + OverlayKeeper.filePause
  }

  /// Lets texts be painted again whose words have changed.
  private func refresh() {
    let (seconds, now) = (wallClock.seconds, worker.clock.now)
    let paths = state.withLock { state in
      Set(state.kept.values.flatMap { $0.text?.template.files ?? [] })
    }
    // Not under the lock: a disk may take long.
    let contents = paths.reduce(into: [:]) { contents, path in contents[path] = read(path) }
    state.withLock { state in
      for (path, content) in contents { state.files[path] = content }
      for kept in state.kept.values {
        guard let (template, painter) = kept.text else { continue }
        let text = template.text(state.facts, wallClock: seconds, now: now) { path in
          state.files[path]?.text ?? ""
        }
        if painter.set(text) { kept.source.repaint() }
      }
    }
  }

  /// A text file, read again if it has changed and is the same at two looks: half of a text is not shown. One that is not
  /// there, too long or no UTF-8 counts as empty.
  private func read(_ name: String) -> TextFile {
    let before = state.withLock { $0.files[name] }
    guard let folder else { return TextFile() }
    let path = "\(folder)/\(name)"
    let stamp = FileStamp(path: path)
    if var before, stamp != before.seen || stamp == before.stamp {
      before.seen = stamp
      return before
    }
    var file = TextFile(stamp: stamp, seen: stamp)
    let bytes = try? File.read(path, limit: TextTemplate.mostFileBytes, followsLinks: false).bytes
    var words = bytes.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    while words.last?.isNewline ?? false { words.removeLast() }
    file.text = words
    return file
  }

  /// Lets images be painted again whose files were replaced.
  private func lookAtImages() {
    let images = state.withLock { state in
      state.kept.compactMapValues { kept in
        if case .image(let path) = kept.content { path } else { nil }
      }
    }
    for (name, path) in images {
      let stamp = FileStamp(path: path)
      state.withLock { state in
        guard var kept = state.kept[name], kept.content == .image(path: path) else { return }
        if kept.stamp == nil {
          // The first look.
          kept.stamp = stamp
        } else if stamp != kept.stamp, stamp == kept.seen {
          kept.stamp = stamp
          kept.source.repaint()
        }
        kept.seen = stamp
        state.kept[name] = kept
      }
    }
  }
}
