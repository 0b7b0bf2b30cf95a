// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux
internal import Posix

/// The files of a recorder: which packet goes into which file, and when the next one begins. Used by the recorder's
/// thread.
///
/// The next file begins with a keyframe; until the audio from before it has come, the file before it stays open. The
/// audio packet that ends after the keyframe is in both: in the second it only prepares the decoder.
final class RecordingFiles {
  /// The time for which audio from before the first keyframe of a file may still come, in nanoseconds.
  private static let lateAudioNanos: Int64 = .seconds(2)
  /// The most bytes of a file on vfat, with its index: 3.9 GiB. The file system ends at 4 GiB - 1.
  private static let mostBytesOnFAT = 4_187_593_113

  private let folder: RecordingFolder
  /// Makes the names of files.
  private let naming: RecordingNaming
  /// The open folder; `nil` while there is none.
  private var disk: (any RecordingDisk)?
  /// Opens the folder.
  private let opening: () throws(RecordingTrouble) -> any RecordingDisk
  /// The file that packets go into.
  private(set) var current: OpenRecording?
  /// The file before it, which still waits for audio.
  private var previous: OpenRecording?
  /// The next file, which has been created already.
  private var next: (any RecordingFile)?
  /// By how much the times of packets are earlier in the file, since pauses were left out, in nanoseconds.
  private var shift: Int64 = 0
  /// The pauses that were left out so far.
  private var pauses: UInt32 = 0
  /// The end of what was written, on the timeline of the file.
  private var end = MediaTime.distantPast
  /// The first packets of the recording go on from here after a pause that was left out.
  private var resumedAt = MediaTime.distantPast
  /// The length and the size of the files that are finished.
  private var finished = (nanos: Int64(0), bytes: 0)
  /// The number of files.
  private(set) var count = 0
  /// The name of the newest file; `nil` before the first one.
  private(set) var newestName: String?
  /// When the free space was looked at; `nil` before the first time.
  var spaceCheckedAt: MediaTime?
  /// The end of the last gap that has a mark.
  var gapMarkedAt = MediaTime.distantPast

  init(
    _ folder: RecordingFolder, naming: RecordingNaming,
    opening: @escaping () throws(RecordingTrouble) -> any RecordingDisk
  ) {
    (self.folder, self.naming, self.opening) = (folder, naming, opening)
  }

  /// The length of all files in nanoseconds, and their size in bytes.
  var total: (nanos: Int64, bytes: Int) {
    [current, previous].reduce(finished) { sum, file in
      (sum.0 + (file?.movie.nanos ?? 0), sum.1 + (file?.movie.size ?? 0))
    }
  }

  // MARK: Opening

  /// Opens the folder, and removes what an earlier recorder has left.
  func open() throws(RecordingTrouble) {
    guard disk == nil else { return }
    let opened = try opening()
    do throws(SystemError) {
      if !opened.isAbsent(RecordingName.next) { try opened.remove(RecordingName.next) }
    } catch {
      throw RecordingTrouble(error)
    }
    disk = opened
  }

  /// The free space in bytes, with what is reserved for the files here; `nil` if it cannot be determined.
  var space: (free: Int, total: Int)? {
    guard let space = try? disk?.space() else { return nil }
    let reserved = [current, previous].reduce(0) { $0 + ($1?.reservedBytes ?? 0) }
    return (space.free + reserved, space.total)
  }

  /// Creates the next file, so that this delays nothing when the file is due.
  func prepare() throws(SystemError) {
    guard next == nil, let disk else { return }
    next = try disk.make(RecordingName.next)
  }

  /// Whether the present file has to end.
  /// - Parameters:
  ///   - options: with the limits.
  ///   - nanos: how early the answer is asked for.
  func isCutDue(_ options: RecorderOptions, within nanos: Int64 = 0) -> Bool {
    guard let movie = current?.movie, let disk else { return false }
    let length = movie.nanos + nanos
    let rate = movie.nanos > 0 ? Double(movie.size) / Double(movie.nanos) : 0
    let bytes = movie.size + movie.endingSize + Int(rate * Double(nanos))
    return options.cutMinutes > 0 && length >= Int64(options.cutMinutes) * .seconds(60)
      || options.cutMB > 0 && bytes >= options.cutMB * 1_000_000
      || disk.isFAT && bytes >= Self.mostBytesOnFAT
  }

  // MARK: Packets

  /// Adds packets to the files that they belong to, and begins a new file where one is due.
  /// - Parameters:
  ///   - isCutDue: whether the next keyframe begins a new file.
  ///   - packet: returns a taken packet with its bytes and another time.
  ///   - hidden: what must not be written any more.
  func add(
    _ batch: RecorderQueue.Batch, isCutDue: Bool,
    packet: (QueuedPacket, MediaTime) -> Packet, hidden: () -> HiddenPackets
  ) throws(SystemError) {
    var isCutDue = isCutDue
    for taken in batch.packets where try begin(taken, batch, &isCutDue, hidden) {
      guard let format = batch.format(of: taken) else { continue }
      let time = taken.time - shift
      let shown = packet(taken, time)
      if !taken.isVideo, let origin = current?.movie.origin, time < origin {
        previous?.add(shown, of: taken.track, format: format)
      }
      if let current, current.add(shown, of: taken.track, format: format) {
        end = max(end, time + format.usualNanos)
      }
    }
  }

  /// Begins a new file with a packet if that is due.
  /// - Returns: whether the packet belongs into a file.
  private func begin(
    _ packet: QueuedPacket, _ batch: RecorderQueue.Batch, _ isCutDue: inout Bool,
    _ hidden: () -> HiddenPackets
  ) throws(SystemError) -> Bool {
    let beginsGroup = packet.kind == .keyframe || !packet.isVideo && !batch.hasVideo
    if packet.epoch != pauses {
      guard beginsGroup else { return false }
      pauses = packet.epoch
      resumedAt = packet.time
      if end > .distantPast { shift = packet.time - end }
    }
    guard packet.time >= resumedAt else { return false }
    let layout = batch.layout(leading: packet)
    let continues = current.map { Self.continues($0.movie.formats, layout.tracks) } ?? false
    if beginsGroup, !continues || isCutDue {
      try rotate(to: layout, at: packet.time - shift, hidden)
      isCutDue = false
    }
    return current != nil
  }

  private static func continues(_ old: [MovieTrack], _ new: [MovieTrack]) -> Bool {
    old.count == new.count && zip(old, new).allSatisfy { $0.continues($1) }
  }

  /// Begins a new file.
  private func rotate(
    to layout: RecorderQueue.Batch.Layout, at origin: MediaTime, _ hidden: () -> HiddenPackets
  ) throws(SystemError) {
    try finishPrevious()
    _ = try current?.writeFragment(hidden)
    previous = current
    current = nil
    try prepare()
    guard let next else { return }
    self.next = nil
    let movie = MovieWriter(layout.tracks, origin: origin, seconds: naming.seconds)
    // On a small disk less, since it takes long there: the clusters are small.
    let reserved = min(OpenRecording.mostReservedAhead, (space?.free ?? 0) / 8)
    let file = OpenRecording(
      next, name: RecordingName.next, movie, places: layout.places, reservedAhead: reserved)
    current = file
    try file.begin()
    count += 1
  }

  /// Writes what was added.
  /// - Parameter newest: the time of the newest packet.
  func write(newest: MediaTime, _ hidden: () -> HiddenPackets) throws(SystemError) {
    _ = try previous?.writeFragment(hidden)
    if let current, try current.writeFragment(hidden), current.name == RecordingName.next {
      try publish(current)
    }
    if let current, newest - shift > current.movie.origin + Self.lateAudioNanos {
      try finishPrevious()
    }
  }

  /// Gives a new file, which has its first fragment now, the name under which people find it.
  private func publish(_ file: OpenRecording) throws(SystemError) {
    guard let disk else { return }
    let name = naming.make { !disk.isAbsent($0) }
    folder.setRunning(name, true)
    do throws(SystemError) {
      try disk.rename(RecordingName.next, to: name)
      try disk.flush()
    } catch {
      folder.setRunning(name, false)
      throw error
    }
    file.renamed(to: name)
    newestName = name
  }

  // MARK: Marks

  /// Sets the marks of the queue.
  func mark(_ marks: [(kind: RecordingMark.Kind, time: MediaTime)]) {
    for mark in marks { self.mark(mark.kind, at: mark.time) }
  }

  /// Sets a mark in the present file.
  /// - Parameter time: of the packet at which something happened.
  func mark(_ kind: RecordingMark.Kind, at time: MediaTime) {
    guard let current else { return }
    let seconds = Double(max(0, time - shift - current.movie.origin)) / 1e9
    current.marks.append(RecordingMark(kind, seconds: seconds))
    note(current, isFinished: false)
  }

  private func note(_ file: OpenRecording, isFinished: Bool) {
    guard file.name != RecordingName.next, isFinished || !file.marks.isEmpty else { return }
    let marks = file.marks
    // The recording itself is more important: without its line it is listed, too.
    try? folder.use { (folder) throws(SystemError) in
      try self.folder.note(in: folder) { book in
        let former = self.folder.formerName(of: file.name).flatMap { book.lines[$0] }
        var line = book.lines[file.name] ?? RecordingBook.Line(name: file.name)
        line.isKept = line.isKept ?? former?.isKept
        line.marks = marks.isEmpty ? nil : marks
        // The size of the file is no longer that of the line: its header is read when the folder is listed.
        line.bytes = 0
        return line
      }
    }
  }

  // MARK: The end

  /// Finishes all files.
  func finish() throws(SystemError) {
    try finishPrevious()
    guard let file = current else { return }
    try finish(file)
    current = nil
    if next != nil { try disk?.remove(RecordingName.next) }
    next = nil
  }

  private func finishPrevious() throws(SystemError) {
    guard let file = previous else { return }
    try finish(file)
    previous = nil
  }

  private func finish(_ file: OpenRecording) throws(SystemError) {
    if file.name == RecordingName.next {
      // Nothing of the file was ever written.
      try disk?.remove(RecordingName.next)
      return folder.setRunning(file.name, false)
    }
    try file.finish()
    finished.nanos += file.movie.nanos
    finished.bytes += file.movie.size
    renameAfterClock(file)
    note(file, isFinished: true)
    folder.setRunning(file.name, false)
  }

  /// Gives a file that began before the clock was set its usual name, if the clock has been set since. If that fails, the
  /// film is whole all the same.
  private func renameAfterClock(_ file: OpenRecording) {
    let old = file.name
    guard let disk, old.hasPrefix(RecordingName.beforeClock), naming.clockIsSet() else { return }
    let name = naming.make(earlierNanos: file.movie.nanos) { !disk.isAbsent($0) }
    do throws(SystemError) { try disk.rename(old, to: name) } catch { return }
    folder.noteRename(old, to: name)
    file.renamed(to: name)
    if newestName == old { newestName = name }
    try? disk.flush()
  }

  /// Closes all files without another system call on them, since the disk has failed: `mend` finishes them when it is
  /// back.
  func abandon() {
    for file in [previous, current].compactMap(\.self) {
      finished.nanos += file.movie.nanos
      finished.bytes += file.movie.size
      folder.setRunning(file.name, false)
    }
    (previous, current, next, disk) = (nil, nil, nil, nil)
  }
}

extension RecorderQueue.Batch {
  /// The tracks of a file.
  struct Layout {
    var tracks: [MovieTrack]
    /// For each track of the recorder its place in the file; `nil` if it is not in the file.
    var places: [Int?]
  }

  /// The format of a packet.
  func format(of packet: QueuedPacket) -> MovieTrack? {
    let number = Int(packet.formats.video)
    return number > 0 ? formats[number - 1] : nil
  }

  /// The tracks of a file that begins with a packet: the formats that are there now, and the packet's own.
  func layout(leading packet: QueuedPacket) -> Layout {
    var layout = Layout(tracks: [], places: [])
    for (track, number) in present.enumerated() {
      let number = track == Int(packet.track) ? packet.formats.video : number
      guard number > 0, track > 0 || hasVideo || packet.isVideo else {
        layout.places.append(nil)
        continue
      }
      layout.places.append(layout.tracks.count)
      layout.tracks.append(formats[Int(number) - 1])
    }
    return layout
  }
}

extension MovieTrack {
  /// The usual duration of a packet in nanoseconds.
  fileprivate var usualNanos: Int64 {
    switch self {
    case .video(let header): 1_000_000_000 / Int64(max(1, header.framesPerSecond))
    case .audio(let header, _): 1_024 * 1_000_000_000 / Int64(max(1, header.sampleRate))
    }
  }
}
