// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Posix

/// The work of a `MusicReader`'s thread.
final class MusicReading {
  /// How a piece has ended.
  enum End {
    case finished
    case failed(MusicTrouble)
    case stopped
  }

  /// How often it is looked whether an address may be opened, in nanoseconds.
  private static let lookNanos: Int64 = .milliseconds(100)
  /// A turn with less sound than this many nanoseconds is not followed by the next at once.
  private static let shortNanos: Int64 = .milliseconds(250)

  let reader: MusicReader
  var worker: Worker { reader.worker }
  var backoff = MusicBackoff()
  private var random = SystemRandomNumberGenerator()
  /// Whether a piece has been heard in this turn, and whether one of them is a station.
  var hasSound = false
  private var hasStation = false
  /// Whether the present trouble has been reported.
  private var isTold = false
  /// The troubles of pieces that have been reported and last, by the pieces.
  private var skipped: [String: MusicTrouble] = [:]
  /// The nanoseconds of sound in this turn.
  var turnNanos: Int64 = 0
  private var lastPath: String?
  /// Whether the address that a person has chosen may be on the box's own network: not after it has led to the Internet,
  /// so that the owner of a name on the Internet cannot lead it to the hosts of this network later.
  private var mayBeLocal = true
  /// The piece before and its length in sample frames; `nil` for no cross-fade from it.
  var last: (name: String, frames: Int)?

  init(_ reader: MusicReader) { self.reader = reader }

  func run() {
    while true {
      (hasSound, hasStation, turnNanos) = (false, false, 0)
      let begin = worker.clock.now
      let end = playOnce()
      if worker.isStopping { return }
      switch end {
      case .stopped: return
      case .finished where hasSound && !hasStation:
        guard reader.loops.load(ordering: .relaxed) else { return finish(nil) }
        guard rest(since: begin) else { return }
      case .finished, .failed:
        let trouble: MusicTrouble =
          if case .failed(let trouble) = end { trouble } else {
            .ended(of: reader.request.name)
          }
        guard trouble.mayPass, reader.isOnNetwork.load(ordering: .relaxed) else {
          // A folder with some good pieces goes on with the next turn.
          guard hasSound, reader.loops.load(ordering: .relaxed) else {
            return finish(hasSound ? nil : trouble)
          }
          guard rest(since: begin) else { return }
          continue
        }
        guard wait(after: trouble) else { return }
      }
    }
  }

  /// Waits after a turn that was too short to be opened again and again: at most one such turn a second.
  /// - Returns: `false` if the reader is stopped.
  private func rest(since begin: MediaTime) -> Bool {
    turnNanos >= MusicReading.shortNanos || worker.sleep(until: begin + .seconds(1))
  }

  private func finish(_ trouble: MusicTrouble?) {
    if let trouble {
      reader.trouble.withLock { $0 = trouble }
      reader.report(reader, .failed(trouble))
    }
    reader.buffer.complete()
    reader.report(reader, .complete)
  }

  /// Reports a trouble of the network, once, and waits until the next attempt.
  /// - Returns: `false` if the reader is stopped.
  private func wait(after trouble: MusicTrouble) -> Bool {
    if backoff.isRestored { isTold = false }
    reader.trouble.withLock { $0 = trouble }
    if !isTold {
      isTold = true
      reader.report(reader, .interrupted(trouble))
    }
    let pause = backoff.next(least: trouble.leastRetrySeconds, using: &random)
    return worker.sleep(until: worker.clock.now + pause)
  }

  // MARK: Pieces

  private func playOnce() -> End {
    switch reader.request.source {
    case .file(let path): return play(file: path, title: nil, depth: 0)
    case .folder(let path, let isShuffled):
      var paths = MusicFolder.sounds(in: path)
      guard !paths.isEmpty else { return .failed(.emptyFolder(path: shown(path))) }
      if isShuffled {
        paths = MusicFolder.shuffled(paths, after: lastPath, using: &random)
      }
      return playAll(paths) { play(file: $0, title: nil, depth: Playlist.deepest) }
    case .address(let address):
      return play(address: address, title: nil, allowsLocal: mayBeLocal, depth: 0)
    }
  }

  /// Plays pieces one after the other. A piece that cannot be played is reported and skipped.
  private func playAll<Piece>(_ pieces: [Piece], _ play: (Piece) -> End) -> End {
    var last: MusicTrouble?
    var count = 0
    for piece in pieces {
      switch play(piece) {
      case .stopped: return .stopped
      case .finished:
        count += 1
        skipped["\(piece)"] = nil
      case .failed(let trouble):
        last = trouble
        if pieces.count > 1, skipped.updateValue(trouble, forKey: "\(piece)") != trouble {
          reader.report(reader, .skipped(trouble))
        }
        // A list of dead addresses must not make thousands of connections.
        if trouble.mayPass, !worker.sleep(until: worker.clock.now + .seconds(1)) { return .stopped }
      }
    }
    guard let last, count == 0 else { return .finished }
    return .failed(pieces.count > 1 ? .allBroken(last) : last)
  }

  /// - Parameter depth: how many lists have led here.
  private func play(file path: String, title: String?, depth: Int) -> End {
    lastPath = path
    let start = (try? File.firstBytes(path, count: Playlist.maxBytes + 1)) ?? []
    switch depth < Playlist.deepest ? Playlist.content(start) : .other {
    case .list(let list):
      guard start.count <= Playlist.maxBytes else { return .failed(.listTooLong(of: shown(path))) }
      guard !list.entries.isEmpty else { return .failed(.emptyList(of: shown(path))) }
      let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
      return playAll(list.entries) { entry in
        if let address = MusicAddress(entry.reference) {
          return play(address: address, title: entry.title, allowsLocal: false, depth: depth + 1)
        }
        guard let path = MusicReading.path(of: entry.reference, in: folder) else {
          return .failed(.entryRefused(of: String(entry.reference.onOneLine.prefix(200))))
        }
        return play(file: path, title: entry.title, depth: depth + 1)
      }
    case .hls, .page, .other: break
    }
    let stamp = FileStamp(path: path)
    do throws(FileTrouble) {
      try reader.openings.noteOpening(path, stamp)
    } catch {
      return .failed(.file(error.naming(shown(path))))
    }
    var isOpen = true
    defer { if isOpen { reader.openings.noteHarmless(path, stamp) } }
    do throws(FileTrouble) {
      let file = try MediaFile(path: path, kind: .audio, worker: worker)
      let piece = MusicReading.piece(
        path.split(separator: "/").last.map(String.init) ?? path, file, title)
      return decode(file, piece, isStation: false) { frames in
        // A file that has been decoded for ten seconds does not end the program.
        if isOpen, frames > 10 * PCM.sampleRate {
          isOpen = false
          reader.openings.noteHarmless(path, stamp)
        }
      }
    } catch {
      return error == .interrupted ? .stopped : .failed(.file(error.naming(shown(path))))
    }
  }

  private func shown(_ path: String) -> String { reader.request.shown(path) }

  /// The path of a file that a list in `folder` names; `nil` if the file is not in that folder or below it.
  static func path(of reference: String, in folder: String) -> String? {
    let given = reference.split(separator: "/", omittingEmptySubsequences: false)
    guard !reference.isEmpty, !reference.hasPrefix("/"), !reference.utf8.contains(0),
      !given.contains(where: { $0 == ".." || $0.hasPrefix(".") && $0 != "." })
    else { return nil }
    var path = folder
    for part in given where part != "." && !part.isEmpty {
      path += "/" + part
      // A link could lead out of the folder.
      guard !File.isLink(path) else { return nil }
    }
    return path
  }

  private func play(
    address: MusicAddress, title: String?, allowsLocal: Bool, depth: Int
  ) -> End {
    while !reader.isWanted.load(ordering: .relaxed) {
      guard worker.sleep(until: worker.clock.now + MusicReading.lookNanos) else { return .stopped }
    }
    reader.isOnNetwork.store(true, ordering: .relaxed)
    do throws(MusicTrouble) {
      let stream = try HTTPStream(
        address, reader.net, allowsLocal: allowsLocal, worker: worker
      ) { if depth == 0 { mayBeLocal = $0 } }
      let start = try stream.peek(512)
      switch Playlist.content(MusicReading.whole(start)) {
      case .page: return .failed(.page(of: "\(address)"))
      case .list:
        guard depth < Playlist.deepest else { return .failed(.listsTooDeep(of: "\(address)")) }
        let bytes = try stream.peek(Playlist.maxBytes + 1)
        guard bytes.count <= Playlist.maxBytes else {
          return .failed(.listTooLong(of: "\(address)"))
        }
        if case .list(let list) = Playlist.content(bytes) {
          return play(list, at: stream, depth: depth)
        }
        return play(stream, of: address, title: title, isHLS: true)
      case .hls: return play(stream, of: address, title: title, isHLS: true)
      case .other:
        return play(stream, of: address, title: title, isHLS: false)
      }
    } catch {
      return error == .interrupted ? .stopped : .failed(error)
    }
  }

  /// The bytes up to the last line break: the rest may be half a line.
  private static func whole(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 512, let last = bytes.lastIndex(of: 0x0A) else { return bytes }
    return Array(bytes[...last])
  }

  private func play(_ list: Playlist, at stream: HTTPStream, depth: Int) -> End {
    guard !list.entries.isEmpty else { return .failed(.emptyList(of: "\(stream.address)")) }
    return playAll(list.entries) { entry in
      guard let address = stream.address.resolve(entry.reference) else {
        return .failed(.entryRefused(of: String(entry.reference.onOneLine.prefix(200))))
      }
      return play(
        address: address, title: entry.title, allowsLocal: stream.isLocal, depth: depth + 1)
    }
  }

  private func play(
    _ stream: HTTPStream, of address: MusicAddress, title: String?, isHLS: Bool
  ) -> End {
    let input = StreamInput(stream, reader.net, isHLS: isHLS, worker: worker)
    // While FFmpeg looks at the start of the stream, titles come already.
    var early: String?
    stream.hearTitle = { early = $0 }
    do throws(FileTrouble) {
      let file = try MediaFile(
        path: "\(stream.address)", kind: .audio, from: input, worker: worker)
      var piece = MusicReading.piece("\(address)", file, title)
      let isEndless = isHLS ? file.duration == nil : stream.isLive
      if isEndless {
        piece.title = early ?? title ?? stream.head.stationName
        piece.duration = nil
      }
      stream.hearTitle = { [buffer = reader.buffer] in buffer.change(title: $0) }
      reader.buffer.wait(for: MusicReader.stationInHand)
      hasStation = hasStation || isEndless
      reader.isStation.store(isEndless, ordering: .relaxed)
      // A playlist of HTTP Live Streaming is read at OnAir's own pace.
      let end = decode(file, piece, isStation: isEndless && !isHLS) { _ in }
      if case .finished = end, let failure = input.failure { return .failed(failure) }
      if case .finished = end, isEndless { return .failed(.ended(of: "\(address)")) }
      return end
    } catch {
      if error == .interrupted || worker.isStopping { return .stopped }
      return .failed(input.failure ?? .notMusic(of: "\(address)"))
    }
  }

  private static func piece(_ name: String, _ file: MediaFile, _ title: String?) -> MusicPiece {
    let (artist, tag) = (file.tag("artist"), file.tag("title"))
    let words = [artist, tag].compactMap(\.self).joined(separator: " - ")
    return MusicPiece(
      name: name, title: title ?? (tag == nil ? nil : StreamTitle.shown(words)),
      duration: file.duration)
  }
}
