// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix
internal import Synchronization
public import Video

/// Keeps the sources of overlays, and lets them be painted again when a variable of a text, or a file, changes. It
/// looks for changes on a thread of its own, which begins with the first overlay.
public final class OverlayKeeper: Sendable {
  /// Nanoseconds between two looks at files.
  private static let filePause = Int64.milliseconds(500)

  private struct Kept {
    let content: OverlayContent
    let source: PaintedSource
    /// The template of a text, and its present words; `nil` for an image or a sticker.
    let text: (template: TextTemplate, words: Words)?
    /// The stamp of the file when it was painted last; valid once `isStamped` is true.
    var stamp: OverlayStamp?
    var isStamped = false
    /// The stamp of the file at the last look. A file that still changes is not read.
    var seen: OverlayStamp?
    /// The trouble of the last painting.
    var paintTrouble: OverlayTrouble?
    /// The trouble with a text file that a variable names.
    var fileTrouble: OverlayTrouble?

    /// The trouble that people are told.
    var trouble: OverlayTrouble? { fileTrouble ?? paintTrouble }
  }

  private struct TextFile {
    /// The stamps of the file when it was read, and at the last look; `nil` if there was no file.
    var stamp, seen: FileStamp?
    var text = ""
    /// Why the file cannot be shown, as the rest of a sentence that begins with its name; `nil` if it can.
    var fault: String?
  }

  private struct State {
    /// The overlays, by their names.
    var kept: [String: Kept] = [:]
    var facts = TextFacts()
    /// The text files that variables name, by their names.
    var files: [String: TextFile] = [:]
  }

  private let state = Mutex(State())
  private let worker: Worker
  private let wallClock: WallClock
  /// The folder of uploaded files; `nil` without one.
  private let folder: String?
  private let fonts: FontFiles
  private let notice: @Sendable (_ name: String, OverlayTrouble, _ isOver: Bool) -> Void

  /// - Parameters:
  ///   - folder: the folder of uploaded files, in which texts find the files that they name.
  ///   - notice: receives the trouble of an overlay, and the same trouble again, with `isOver`, once it is over.
  public init(
    folder: String? = nil, clock: MediaClock = .system, wallClock: WallClock = .system,
    notice: @escaping @Sendable (_ name: String, OverlayTrouble, _ isOver: Bool) -> Void = {
      _, _, _ in
    }
  ) {
    worker = Worker(name: "overlays", clock: clock)
    self.wallClock = wallClock
    self.folder = folder
    fonts = FontFiles(folder: folder)
    self.notice = notice
  }

  /// Asks the thread to end. Does not wait for it, since it may hang while it reads a file.
  public func stop() { worker.requestStop() }

  /// The sources of all overlays, by name. An overlay whose content is the same as before keeps its source. If the
  /// content is another one, what was shown stays until the new content is painted. Overlays that are not in `contents`
  /// are forgotten.
  public func sources(_ contents: [String: OverlayContent]) -> [String: any LayerSource] {
    let (sources, over) = state.withLock { state in
      let before = state.kept
      state.kept = contents.reduce(into: [:]) { kept, overlay in
        let old = before[overlay.key]
        kept[overlay.key] =
          old?.content == overlay.value
          ? old : make(overlay.value, for: overlay.key, after: old?.source, state)
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

  private func make(
    _ content: OverlayContent, for name: String, after old: PaintedSource?, _ state: State
  ) -> Kept {
    let report: @Sendable (OverlayTrouble?) -> Void = { [weak self] trouble in
      self?.note(name) { kept in
        if kept.content == content { kept.paintTrouble = trouble }
      }
    }
    switch content {
    case .image(let path):
      let painter = ImagePainter(path: path, report: report)
      return Kept(content: content, source: PaintedSource(painter, after: old), text: nil)
    case .sticker(let path):
      let painter = StickerPainter(path: path, report: report)
      return Kept(
        content: content, source: PaintedSource(painter, isSlow: true, after: old), text: nil)
    case .text(let text, let style):
      let template = TextTemplate(text)
      let words = Words()
      // A still, or the next frame, may ask for it before the thread has looked.
      _ = words.set(
        template.text(state.facts, wallClock: wallClock.seconds, now: worker.clock.now) { path in
          state.files[path]?.text ?? ""
        })
      let painter: any LayerPainter =
        if let scroll = style.scroll {
          ScrollPainter(words, style, scroll, report: report)
        } else {
          TextPainter(words: words, style: style, report: report)
        }
      return Kept(
        content: content,
        source: PaintedSource(
          painter, isOnStills: template.isFixed && style.scroll == nil, after: old),
        text: (template, words))
    }
  }

  /// Changes what is known of an overlay, and passes its trouble to `notice` if that has changed.
  private func note(_ name: String, _ change: (inout Kept) -> Void) {
    let (old, new) = state.withLock { state -> (OverlayTrouble?, OverlayTrouble?) in
      guard var kept = state.kept[name] else { return (nil, nil) }
      let before = kept.trouble
      change(&kept)
      state.kept[name] = kept
      return kept.trouble == before ? (nil, nil) : (before, kept.trouble)
    }
    if let old, old.field != new?.field { notice(name, old, true) }
    if let new { notice(name, new, false) }
  }

  /// Lets overlays be painted that did not get enough memory, once other overlays have left enough. Until then their
  /// files are not read again.
  private func useRoom() {
    let sources = state.withLock { state in
      state.kept.values.filter { $0.paintTrouble?.missingBytes.map(LayerMemory.hasRoom) ?? false }
        .map(\.source)
    }
    for source in sources { source.retry() }
  }

  private func look() {
    let hasTexts = state.withLock { $0.kept.values.contains { $0.text != nil } }
    let hasOtherFonts = hasTexts && fonts.refresh()
    refresh(repaintsAll: hasOtherFonts)
    lookAtFiles()
    useRoom()
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

  /// Reads changed text files, and lets the texts be painted again whose words have changed.
  /// - Parameter repaintsAll: whether the other texts are painted again, too.
  private func refresh(repaintsAll: Bool) {
    let (seconds, now) = (wallClock.seconds, worker.clock.now)
    let paths = state.withLock { state in
      Set(state.kept.values.flatMap { $0.text?.template.files ?? [] })
    }
    // Not under the lock: a disk may take long.
    let contents = paths.reduce(into: [:]) { contents, path in contents[path] = read(path) }
    let names = state.withLock { state in
      for (path, content) in contents { state.files[path] = content }
      for kept in state.kept.values {
        guard let (template, words) = kept.text else { continue }
        let text = template.text(state.facts, wallClock: seconds, now: now) { path in
          state.files[path]?.text ?? ""
        }
        if words.set(text) || repaintsAll { kept.source.repaint() }
      }
      return state.kept.keys.filter { !(state.kept[$0]?.text?.template.files.isEmpty ?? true) }
    }
    for name in names {
      note(name) { kept in
        let files = kept.text?.template.files ?? []
        let fault = files.lazy.compactMap { file in contents[file]?.fault.map { (file, $0) } }.first
        kept.fileTrouble = fault.map { .textFile($0, $1) }
      }
    }
  }

  /// A text file, read again if it has changed and then is the same at two looks, so that no half of a text is shown. A
  /// file that is missing, too long or not UTF-8 counts as empty.
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
    do throws(FileError) {
      let limit = TextTemplate.mostFileBytes
      let bytes = try File.read(path, limit: limit, followsLinks: false).bytes
      if var words = String(validating: bytes, as: UTF8.self) {
        while words.last?.isNewline ?? false { words.removeLast() }
        file.text = words
      } else {
        file.fault = "is not text in UTF-8: save it so"
      }
    } catch {
      file.fault =
        switch error {
        case .missing: "is not there: upload it, or write another name"
        case .tooLong:
          "has more than \(TextTemplate.mostFileBytes) bytes: shorten it"
        default: error.sentence
        }
    }
    return file
  }

  /// Lets images and stickers be painted again whose files were replaced.
  private func lookAtFiles() {
    let contents = state.withLock { state in
      state.kept.compactMapValues { $0.content.path == nil ? nil : $0.content }
    }
    for (name, content) in contents {
      let stamp = content.stamp
      state.withLock { state in
        guard var kept = state.kept[name], kept.content == content else { return }
        if !kept.isStamped {
          (kept.stamp, kept.isStamped) = (stamp, true)
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
