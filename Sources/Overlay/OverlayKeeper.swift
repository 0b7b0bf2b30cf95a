// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix
internal import Synchronization
public import Video

/// Holds the layer sources of all overlays, and repaints an overlay when a variable of its text or its file changes. A
/// thread, which starts with the first overlay, looks for changes.
public final class OverlayKeeper: Sendable {
  /// The time between two checks of the overlays' files, in nanoseconds.
  private static let fileCheckNanos = Int64.milliseconds(500)

  /// An overlay, its layer source, and its state.
  private struct OverlayState {
    let content: OverlayContent
    let source: PaintedSource
    /// The template of a text, and the text with its variables filled in; `nil` for an image or a sticker.
    let text: (template: TextTemplate, words: CurrentText)?
    /// The stamp of the overlay's file when the file was last painted; `nil` if there was no file. Valid once
    /// `isStamped` is true.
    var stamp: OverlayStamp?
    var isStamped = false
    /// The stamp of the file at the last check; `nil` if there was no file. A file is read only if two checks in a row
    /// find the same stamp, because a file that is still being written may be incomplete.
    var checkedStamp: OverlayStamp?
    /// The trouble that the last painting reported; `nil` for none.
    var paintTrouble: OverlayTrouble?
    /// The trouble with a text file that a variable names; `nil` for none.
    var fileTrouble: OverlayTrouble?

    /// The trouble that is passed to `notice`.
    var trouble: OverlayTrouble? { fileTrouble ?? paintTrouble }
  }

  /// A text file that a variable names, and its content.
  private struct TextFile {
    /// The stamp of the file when it was read, and its stamp at the last check; `nil` if there was no file.
    var stamp, checkedStamp: FileStamp?
    var text = ""
    /// Why the file cannot be shown: the rest of a sentence that begins with the file's name; `nil` if the file can be
    /// shown.
    var fault: String?
  }

  /// The state that the thread and the callers of this object share.
  private struct State {
    /// The overlays, keyed by name.
    var overlays: [String: OverlayState] = [:]
    /// The values of the variables in texts.
    var variables = TextVariables()
    /// The text files that variables name, keyed by file name.
    var files: [String: TextFile] = [:]
  }

  /// The overlays, and the values of the variables in texts.
  private let state = Mutex(State())
  /// The thread that looks for changes.
  private let worker: Worker
  /// The clock of the times and dates in texts.
  private let wallClock: WallClock
  /// The folder of uploaded files; `nil` without one.
  private let folder: String?
  /// The uploaded fonts.
  private let fonts: FontFiles
  /// Called with the trouble of an overlay when the trouble begins, and again, with `isOver`, when it ends.
  private let notice: @Sendable (_ name: String, OverlayTrouble, _ isOver: Bool) -> Void

  /// - Parameters:
  ///   - folder: the folder of uploaded files, in which texts find the files that they name.
  ///   - notice: called with the trouble of an overlay when the trouble begins, and again, with `isOver`, when it ends.
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

  /// Asks the thread to end. Does not wait for the thread, which may hang while it reads a file.
  public func stop() { worker.requestStop() }

  /// Replaces all overlays. An overlay whose content is the same as before keeps its layer source. An overlay with
  /// other content shows the old content until the new content is painted.
  /// - Parameter contents: the contents of the new overlays, keyed by the overlay's name.
  /// - Returns: the layer sources of the new overlays, keyed by the overlay's name.
  public func sources(_ contents: [String: OverlayContent]) -> [String: any LayerSource] {
    let (sources, over) = state.withLock { state in
      let before = state.overlays
      state.overlays = contents.reduce(into: [:]) { kept, overlay in
        let old = before[overlay.key]
        kept[overlay.key] =
          old?.content == overlay.value
          ? old : make(overlay.value, for: overlay.key, after: old?.source, state)
      }
      let paths = Set(state.overlays.values.flatMap { $0.text?.template.files ?? [] })
      state.files = state.files.filter { paths.contains($0.key) }
      let over = before.compactMapValues { $0.trouble }.filter { name, _ in
        state.overlays[name]?.source !== before[name]?.source
      }
      return (state.overlays.mapValues(\.source), over)
    }
    for (name, trouble) in over { notice(name, trouble, true) }
    if !contents.isEmpty {
      // If the thread cannot be started, overlays are not updated, but the broadcast continues.
      _ = try? worker.tryStart { [self] in
        while !worker.isStopping { checkForChanges() }
      }
      worker.wake()
    }
    return sources
  }

  /// Changes the values of the variables in texts.
  public func update(_ change: (inout TextVariables) -> Void) {
    let isChanged = state.withLock { state in
      let before = state.variables
      change(&state.variables)
      return state.variables != before
    }
    if isChanged { worker.wake() }
  }

  /// Makes the state of a new overlay, with its layer source.
  /// - Parameter old: the source that showed the overlay before; `nil` for none.
  private func make(
    _ content: OverlayContent, for name: String, after old: PaintedSource?, _ state: State
  ) -> OverlayState {
    let report: @Sendable (OverlayTrouble?) -> Void = { [weak self] trouble in
      self?.changeState(name) { kept in
        if kept.content == content { kept.paintTrouble = trouble }
      }
    }
    switch content {
    case .image(let path, let spare):
      let painter = ImagePainter(path: path, spare: spare, report: report)
      return OverlayState(content: content, source: PaintedSource(painter, after: old), text: nil)
    case .sticker(let path):
      let painter = StickerPainter(path: path, report: report)
      return OverlayState(
        content: content, source: PaintedSource(painter, isSlow: true, after: old), text: nil)
    case .text(let text, let style):
      let template = TextTemplate(text)
      let words = CurrentText()
      // Set the text now, because a still or the next frame may need it before the thread has run.
      _ = words.set(
        template.text(
          state.variables, wallClock: wallClock.seconds, now: worker.clock.now
        ) { path in
          state.files[path]?.text ?? ""
        })
      let painter: any LayerPainter =
        if let scroll = style.scroll {
          ScrollPainter(words, style, scroll, report: report)
        } else {
          TextPainter(words: words, style: style, report: report)
        }
      return OverlayState(
        content: content,
        source: PaintedSource(
          painter, isOnStills: template.isFixed && style.scroll == nil, after: old),
        text: (template, words))
    }
  }

  /// Changes the state of an overlay, and passes its trouble to `notice` if the trouble has changed.
  private func changeState(_ name: String, _ change: (inout OverlayState) -> Void) {
    let (old, new) = state.withLock { state -> (OverlayTrouble?, OverlayTrouble?) in
      guard var kept = state.overlays[name] else { return (nil, nil) }
      let before = kept.trouble
      change(&kept)
      state.overlays[name] = kept
      return kept.trouble == before ? (nil, nil) : (before, kept.trouble)
    }
    if let old, old.field != new?.field { notice(name, old, true) }
    if let new { notice(name, new, false) }
  }

  /// Repaints the overlays that did not get enough memory, if enough memory is free now. Before that, the files
  /// of these overlays are not read again.
  private func repaintIfMemoryIsFree() {
    let sources = state.withLock { state in
      state.overlays.values.filter {
        $0.paintTrouble?.missingBytes.map(LayerMemory.hasRoom) ?? false
      }
      .map(\.source)
    }
    for source in sources { source.retry() }
  }

  /// Repaints what has changed, and waits until the next check is due or the worker is woken.
  private func checkForChanges() {
    let hasTexts = state.withLock { $0.overlays.values.contains { $0.text != nil } }
    let hasOtherFonts = hasTexts && fonts.refresh()
    refresh(repaintsAll: hasOtherFonts)
    checkFiles()
    repaintIfMemoryIsFree()
    worker.wait(until: nextCheck)
  }

  /// When the next check for changes is due; `.distantFuture` while there are no overlays.
  private var nextCheck: MediaTime {
    let (hasTime, isEmpty) = state.withLock { state in
      (
        state.overlays.values.contains { $0.text?.template.hasTime ?? false },
        state.overlays.isEmpty
      )
    }
    if isEmpty { return .distantFuture }
    let now = worker.clock.now
    // The next check of a text with a time: just after the next second of the wall clock begins.
    let second = now + .milliseconds(1_001 - wallClock.milliseconds % 1_000)
    return hasTime
      ? min(second, now + OverlayKeeper.fileCheckNanos) : now + OverlayKeeper.fileCheckNanos
  }

  /// Reads changed text files, and repaints the texts whose content has changed.
  /// - Parameter repaintsAll: whether to repaint texts with the same content, too, because the fonts have changed.
  private func refresh(repaintsAll: Bool) {
    let (seconds, now) = (wallClock.seconds, worker.clock.now)
    let paths = state.withLock { state in
      Set(state.overlays.values.flatMap { $0.text?.template.files ?? [] })
    }
    // The files are read without the lock, because a disk may be slow.
    let contents = paths.reduce(into: [:]) { contents, path in contents[path] = read(path) }
    let names = state.withLock { state in
      for (path, content) in contents { state.files[path] = content }
      for kept in state.overlays.values {
        guard let (template, words) = kept.text else { continue }
        let text = template.text(state.variables, wallClock: seconds, now: now) { path in
          state.files[path]?.text ?? ""
        }
        if words.set(text) || repaintsAll { kept.source.repaint() }
      }
      return state.overlays.keys.filter {
        !(state.overlays[$0]?.text?.template.files.isEmpty ?? true)
      }
    }
    for name in names {
      changeState(name) { kept in
        let files = kept.text?.template.files ?? []
        let fault = files.lazy.compactMap { file in contents[file]?.fault.map { (file, $0) } }.first
        kept.fileTrouble = fault.map { .textFile($0, $1) }
      }
    }
  }

  /// The text file with this name. A changed file is read only when two checks in a row have found the same stamp, so
  /// that no half-written text is shown. A file that is missing, too long or not UTF-8 counts as empty.
  private func read(_ name: String) -> TextFile {
    let before = state.withLock { $0.files[name] }
    guard let folder else { return TextFile() }
    let path = "\(folder)/\(name)"
    let stamp = FileStamp(path: path)
    if var before, stamp != before.checkedStamp || stamp == before.stamp {
      before.checkedStamp = stamp
      return before
    }
    var file = TextFile(stamp: stamp, checkedStamp: stamp)
    do throws(FileError) {
      let limit = TextTemplate.maxFileBytes
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
          "has more than \(TextTemplate.maxFileBytes) bytes: shorten it"
        default: error.sentence
        }
    }
    return file
  }

  /// Repaints the images and stickers whose files were replaced.
  func checkFiles() {
    let contents = state.withLock { state in
      state.overlays.compactMapValues { $0.content.path == nil ? nil : $0.content }
    }
    for (name, content) in contents {
      let stamp = content.stamp
      state.withLock { state in
        guard var kept = state.overlays[name], kept.content == content else { return }
        if !kept.isStamped {
          (kept.stamp, kept.isStamped) = (stamp, true)
          // The painter may have read an older version of the file than the one with this stamp.
          if kept.source.isPaintingRequested { kept.source.repaint() }
        } else if stamp != kept.stamp, stamp == kept.checkedStamp {
          kept.stamp = stamp
          kept.source.repaint()
        }
        kept.checkedStamp = stamp
        state.overlays[name] = kept
      }
    }
  }
}
