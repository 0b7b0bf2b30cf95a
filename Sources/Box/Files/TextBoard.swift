// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Posix
internal import Settings
internal import Synchronization

/// A text as `GET /api/text` writes it. The names of the fields are a contract.
public struct BoardText: Codable, Sendable, Equatable {
  /// The NAME of the placeholder `{api:NAME}` in text overlays that the text replaces.
  public var name: String
  /// The text that replaces the placeholder `{api:NAME}`.
  public var text: String
}

/// Holds the texts that people and programs set through the API, such as a score, and saves them in the state
/// directory. Each text replaces a placeholder `{api:NAME}` in text overlays on the picture.
package final class TextBoard: Sendable {
  /// The most texts that are held at a time.
  static let maxTexts = 64
  /// The most characters (Unicode scalars) of one text.
  static let maxCharacters = 2_000
  /// The minimum time between two writes of the file, in nanoseconds: a game clock changes each second, and each write
  /// wears the memory card.
  private static let saveIntervalNanos = Int64.seconds(5)
  /// The file in the state directory with all texts, keyed by the NAME of the placeholder `{api:NAME}`.
  private static let file = StateFile<[String: String]>("texts.json", limit: 1 << 20)

  /// The mutable state of the board, guarded by the mutex `state`.
  private struct State {
    var texts: [String: String]
    /// Whether texts have changed since the file was written.
    var isDue = false
    /// When `save(on:now:)` last began to write the file.
    var savedAt = MediaTime.distantPast
    /// Why the last attempt to write has failed; `nil` if it has not.
    var failure: String?
  }

  /// The state directory.
  private let directory: String
  private let events: EventLog
  /// The texts, and whether the file has to be written.
  private let state: Mutex<State>
  /// Held during `publish`, so that two threads cannot hand on older texts after newer ones.
  private let publishing = Mutex(())

  init(directory: String, events: EventLog) {
    (self.directory, self.events) = (directory, events)
    do throws(PrivateFileError) {
      let found = try Self.file.read(in: directory) ?? [:]
      state = Mutex(State(texts: found.filter { TextBoard.objection($0.key, $0.value) == nil }))
    } catch {
      state = Mutex(State(texts: [:]))
      events.note(
        .warning,
        "\(directory)/\(Self.file.name) \(error.sentence) and is not used: the texts for {api:NAME} are empty."
      )
    }
  }

  /// All texts, keyed by the NAME of the placeholder `{api:NAME}`.
  var texts: [String: String] { state.withLock { $0.texts } }

  /// Sets the text for the placeholder `{api:NAME}`. An empty text removes the entry: the placeholder is then replaced
  /// by nothing.
  /// - Returns: whether the text has changed.
  /// - Throws: `.unfitTextName`, `.unfitText` or `.tooManyTexts`.
  func set(_ name: String, to text: String) throws(StationError) -> Bool {
    if let objection = TextBoard.objection(name, text) { throw objection }
    let isChanged = state.withLock { state -> Bool? in
      guard (state.texts[name] ?? "") != text else { return false }
      guard text.isEmpty || state.texts[name] != nil || state.texts.count < TextBoard.maxTexts
      else { return nil }
      state.texts[name] = text.isEmpty ? nil : text
      state.isDue = true
      return true
    }
    guard let isChanged else { throw .tooManyTexts }
    return isChanged
  }

  /// Passes the present texts to `receive`. If several threads call this, the last call passes the newest texts.
  func publish(_ receive: ([String: String]) -> Void) {
    publishing.withLock { _ in receive(texts) }
  }

  /// The error if this text cannot be set for the placeholder of this name; `nil` if it can.
  private static func objection(_ name: String, _ text: String) -> StationError? {
    if !NamedList.isPlain(name) { return .unfitTextName }
    let isFit =
      text.unicodeScalars.count <= maxCharacters
      && !text.unicodeScalars.contains { isControl($0) && $0 != "\n" }
    return isFit ? nil : .unfitText
  }

  /// Writes the texts to the file on the thread `jobs` if they have changed, but at most once in five seconds.
  func save(on jobs: JobThread, now: MediaTime) {
    let isDue = state.withLock { state in
      guard state.isDue, now - state.savedAt >= TextBoard.saveIntervalNanos else { return false }
      state.savedAt = now
      return true
    }
    if isDue { jobs.submit { [self] in save() } }
  }

  /// Writes the texts to the file if they have changed, and waits for the disk.
  func save() {
    let texts = state.withLock { state -> [String: String]? in
      defer { state.isDue = false }
      return state.isDue ? state.texts : nil
    }
    guard let texts else { return }
    var failure: String?
    do throws(SystemError) {
      try Self.file.write(texts, in: directory)
    } catch {
      failure = "\(error)"
    }
    let isNew = state.withLock { state in
      if failure != nil { state.isDue = true }
      defer { state.failure = failure }
      return failure != nil && failure != state.failure
    }
    if isNew, let failure {
      events.note(
        .warning,
        "The texts for {api:NAME} cannot be saved in \(directory) (\(failure)): after a restart they are the old ones."
      )
    }
  }
}

extension Station {
  /// The texts that replace the placeholders `{api:NAME}` in text overlays, sorted by name.
  package var texts: [BoardText] {
    board.texts.sorted { $0.key < $1.key }.map { BoardText(name: $0.key, text: $0.value) }
  }

  /// Sets the text that replaces the placeholder `{api:NAME}` in text overlays.
  package func set(text: String, for name: String) -> ControlReply {
    do throws(StationError) {
      guard try board.set(name, to: text) else {
        return ControlReply(changed: false, "Nothing has changed.")
      }
      board.publish { studio.set(texts: $0) }
      return ControlReply(
        changed: true, "The text \(name) is \(text.isEmpty ? "empty" : "set").")
    } catch {
      return ControlReply(error)
    }
  }
}
