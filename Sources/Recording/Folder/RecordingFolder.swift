// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Mux
public import Posix
internal import Synchronization

/// A folder with recordings. Each call may block on the disk for long.
///
/// Only files that this program has written are listed, changed or removed. Nothing outside the folder is touched:
/// files are opened by their names in the open folder, and symbolic links are not followed.
public final class RecordingFolder: Sendable {
  /// Most names in the folder that are looked at.
  static let mostNames = 100_000

  /// The path of the folder.
  public let directory: String
  /// The folder for the thumbnails.
  let thumbnails: String
  private let mounts: MountTable
  /// The names of the files that are being written.
  private let running = Mutex<Set<String>>([])
  /// The present names of files that were renamed while somebody may still use the old name.
  private let renames = Mutex<[String: String]>([:])
  /// Held while the book is read or written.
  private let bookLock = Mutex(())

  /// - Parameters:
  ///   - directory: the path of the folder, which has to exist.
  ///   - stateDirectory: a folder in which only this user can write; thumbnails are kept in its subfolder "recordings".
  public init(_ directory: String, stateDirectory: String, mounts: MountTable = .system) {
    self.directory = directory
    self.mounts = mounts
    thumbnails = "\(stateDirectory)/recordings"
  }

  /// Opens the folder. It is open only during a call, so that a stick can be unmounted.
  func open() throws(RecordingTrouble) -> OpenFolder {
    if let point = mounts.missingMount(above: directory) { throw .notMounted(point) }
    do throws(SystemError) { return try OpenFolder(directory) } catch { throw .init(error) }
  }

  /// Notes that a file is being written, or no longer.
  func setRunning(_ name: String, _ isRunning: Bool) {
    _ = running.withLock { names in
      isRunning ? names.insert(name).inserted : names.remove(name) != nil
    }
  }

  /// Notes that a file that is being written has another name now, and is still being written.
  func noteRename(_ name: String, to other: String) {
    renames.withLock { $0[name] = other }
    running.withLock { names in
      names.insert(other)
      names.remove(name)
    }
  }

  /// The name that a file has now which had this name while it was written.
  public func presentName(of name: String) -> String { renames.withLock { $0[name] ?? name } }

  /// The name that a file had before it was renamed while it was written; `nil` if it was not.
  func formerName(of name: String) -> String? {
    renames.withLock { renames in renames.first { $0.value == name }?.key }
  }

  // MARK: Listing

  /// All recordings, the newest first. The first call reads each file's header; later ones read none.
  public func list() throws(RecordingError) -> [Recording] {
    try use { (folder) throws(SystemError) in try list(in: folder) }
  }

  /// The recording of an ID.
  public func recording(_ id: String) throws(RecordingError) -> Recording {
    try use { (folder) throws(SystemError) in try list(in: folder).first { $0.id == id } }
      .orMissing()
  }

  /// The free space that this user may use, and the size of the file system, in bytes.
  public func space() throws(RecordingError) -> (free: Int, total: Int) {
    try use { (folder) throws(SystemError) in try folder.space() }
  }

  private func list(in folder: OpenFolder) throws(SystemError) -> [Recording] {
    let names = try folder.names(most: Self.mostNames)
    let writing = running.withLock { $0 }
    let lines = bookLock.withLock { _ in RecordingBook(folder).lines }
    var new: [RecordingBook.Line] = []
    var found: [Recording] = []
    for name in names where RecordingName.isVisible(name) {
      guard let entry = folder.entry(name) else { continue }
      let isRunning = writing.contains(name)
      var line = lines[name] ?? RecordingBook.Line(name: name)
      if !isRunning, line.bytes != entry.size || line.bytes == 0 {
        line = Self.examined(line, entry, in: folder)
        new.append(line)
      }
      if line.isForeign == true { continue }
      found.append(
        Recording(
          name: name, bytes: entry.size, modifiedAt: entry.modifiedAt,
          seconds: isRunning ? nil : line.seconds, width: line.width, height: line.height,
          marks: line.marks ?? [], isKept: line.isKept ?? false, isRunning: isRunning))
    }
    if !new.isEmpty { note(new, replacing: lines, in: folder) }
    return found.sorted { ($0.modifiedAt, $0.name) > ($1.modifiedAt, $1.name) }
  }

  /// Writes lines about examined files to the book, except where another line came meanwhile: such a file is examined
  /// again by the next call.
  /// - Parameter old: the lines that were there before.
  private func note(
    _ new: [RecordingBook.Line], replacing old: [String: RecordingBook.Line], in folder: OpenFolder
  ) {
    bookLock.withLock { _ in
      var book = RecordingBook(folder)
      let lines = book.lines
      // A folder that cannot be written to is listed all the same.
      try? book.note(new.filter { lines[$0.name] == old[$0.name] }, in: folder)
    }
  }

  /// What a file says about itself.
  private static func examined(
    _ old: RecordingBook.Line, _ entry: OpenFolder.Entry, in folder: OpenFolder
  ) -> RecordingBook.Line {
    var line = old
    line.bytes = entry.size
    guard let file = try? folder.open(old.name),
      let summary = try? MovieSummary(size: entry.size, file.read)
    else {
      line.isForeign = true
      return line
    }
    line.isForeign = nil
    (line.seconds, line.width, line.height) = (summary.seconds, summary.width, summary.height)
    return line
  }

  // MARK: Changing

  /// Gives a recording another name.
  /// - Parameter name: without ".mp4"; characters that file systems refuse become blanks.
  public func rename(_ id: String, to name: String) throws(RecordingError) -> Recording {
    guard let newName = RecordingName.asked(name) else { throw .badName }
    let old = try changeable(id)
    guard newName != old.name else { return old }
    try use { (folder) throws(SystemError) in
      try folder.rename(old.name, to: newName)
      // First what is known of it: a film that is kept stays so even if the disk fails now.
      try note(in: folder) { book in
        var line = book.lines[old.name] ?? RecordingBook.Line(name: newName)
        line.name = newName
        return line
      }
      try folder.flush()
    }
    let newID = RecordingName.id(of: newName)
    try? File.rename("\(old.id).jpg", to: "\(newID).jpg", in: thumbnails)
    var new = old
    new.name = newName
    return new
  }

  /// Says whether a recording may be removed to make room.
  public func keep(_ id: String, _ isKept: Bool) throws(RecordingError) -> Recording {
    var changed = try recording(id)
    let name = changed.name
    try use { (folder) throws(SystemError) in
      try note(in: folder) { book in
        var line = book.lines[name] ?? RecordingBook.Line(name: name)
        line.isKept = isKept
        return line
      }
    }
    changed.isKept = isKept
    return changed
  }

  /// Deletes a recording. Until `purge`, it takes its space, and `undoDelete` brings it back.
  public func delete(_ id: String) throws(RecordingError) {
    let old = try changeable(id)
    try use { (folder) throws(SystemError) in
      let hidden = RecordingName.deleted + old.name
      if !folder.isAbsent(hidden) { try folder.remove(hidden) }
      try folder.rename(old.name, to: hidden)
      try folder.flush()
    }
  }

  /// Brings a deleted recording back.
  /// - Parameter id: the ID that it had.
  public func undoDelete(_ id: String) throws(RecordingError) -> Recording {
    try use { (folder) throws(SystemError) in
      let hidden = try Self.deleted(in: folder)
      let name = hidden.map { String($0.dropFirst(RecordingName.deleted.count)) }
        .first { RecordingName.id(of: $0) == id }
      guard let name else { return }
      try folder.rename(RecordingName.deleted + name, to: name)
      try folder.flush()
    }
    return try recording(id)
  }

  /// Removes deleted recordings for good, with their thumbnails, and forgets what is no longer there.
  public func purge() throws(RecordingError) {
    try use { (folder) throws(SystemError) in
      for name in try Self.deleted(in: folder) {
        try folder.remove(name)
        let id = RecordingName.id(of: String(name.dropFirst(RecordingName.deleted.count)))
        File.unlink("\(thumbnails)/\(id).jpg")
      }
      try bookLock.withLock { _ throws(SystemError) in
        var book = RecordingBook(folder)
        try book.retain({ folder.entry($0) != nil }, in: folder)
      }
    }
  }

  /// The names of the deleted recordings.
  private static func deleted(in folder: OpenFolder) throws(SystemError) -> [String] {
    try folder.names(most: mostNames).filter { name in
      name.hasPrefix(RecordingName.deleted) && name.hasSuffix(RecordingName.ending)
        && folder.entry(name) != nil
    }
  }

  /// Removes deleted recordings and then the oldest ones, except for those that are to be kept or are being written,
  /// until so much space is free. If all of them are not enough, only deleted ones are removed.
  /// - Parameter removed: is increased by the number of recordings that were removed.
  /// - Returns: whether there is so much free space now.
  func makeRoom(_ bytes: Int, removed: inout Int) throws(RecordingError) -> Bool {
    if try space().free >= bytes { return true }
    try purge()
    let removable = try list().filter { !$0.isKept && !$0.isRunning }
    let missing = bytes - (try space().free)
    guard removable.reduce(missing, { max(0, $0 - $1.bytes) }) <= 0 else {
      return false
    }
    for recording in removable.reversed() {
      if try space().free >= bytes { return true }
      try use { (folder) throws(SystemError) in try folder.remove(recording.name) }
      removed += 1
      File.unlink("\(thumbnails)/\(recording.id).jpg")
    }
    return try space().free >= bytes
  }

  /// A recording that may be renamed or deleted.
  private func changeable(_ id: String) throws(RecordingError) -> Recording {
    let found = try recording(id)
    if found.isRunning { throw .isRunning }
    return found
  }

  // MARK: Reading

  /// Opens a recording, to be read while it may be written to or deleted.
  public func open(_ id: String) throws(RecordingError) -> OpenFile {
    let name = try recording(id).name
    return try use { (folder) throws(SystemError) in try folder.open(name) }
  }

  // MARK: The book

  /// Writes a line to the book.
  /// - Parameter line: returns the line, given the book.
  func note(
    in folder: OpenFolder, _ line: (RecordingBook) -> RecordingBook.Line
  ) throws(SystemError) {
    try bookLock.withLock { _ throws(SystemError) in
      var book = RecordingBook(folder)
      try book.note([line(book)], in: folder)
    }
  }

  /// Calls `body` with the open folder.
  func use<Result>(
    _ body: (OpenFolder) throws(SystemError) -> Result
  ) throws(RecordingError) -> Result {
    let folder: OpenFolder
    do throws(RecordingTrouble) { folder = try open() } catch { throw .folder(error) }
    do throws(SystemError) { return try body(folder) } catch {
      switch error.code {
      case ENOENT: throw .missing
      case EEXIST: throw .nameTaken
      default: throw .folder(RecordingTrouble(error))
      }
    }
  }
}

extension Optional {
  /// The value, or `RecordingError.missing`.
  fileprivate func orMissing() throws(RecordingError) -> Wrapped {
    guard let self else { throw .missing }
    return self
  }
}
