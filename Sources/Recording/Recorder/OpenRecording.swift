// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media
internal import Mux
internal import Posix

/// Whether packets of video, or of audio, are from before a cut and must not be written.
struct HiddenPackets {
  var video = false
  var audio = false
}

/// A file that is being recorded. Used by the recorder's thread.
final class OpenRecording {
  /// How far ahead space is reserved at most, in bytes: writes then change no tables of the file system, and take less
  /// long.
  static let mostReservedAhead = 64 << 20

  /// The name under which people find the file; that of the unfinished next file until it has a fragment.
  private(set) var name: String
  private(set) var movie: MovieWriter
  private let file: any RecordingFile
  /// How far ahead space is reserved, in bytes.
  private let reservedAhead: Int
  /// For each track of the recorder its place in the file; `nil` if it is not in the file.
  private let places: [Int?]
  /// Up to where space is reserved.
  private var reservedTo = 0
  /// What is reserved and not used yet, in bytes.
  var reservedBytes: Int { max(0, reservedTo - movie.size) }
  /// Whether the file system can reserve space.
  private var canReserve = true
  /// What people may look for.
  var marks: [RecordingMark] = []

  /// - Parameters:
  ///   - name: the name that the file has now.
  ///   - places: for each track of the recorder its place in the file; `nil` if it is not in the file.
  ///   - reservedAhead: how far ahead space is reserved, in bytes.
  init(
    _ file: any RecordingFile, name: String, _ movie: MovieWriter, places: [Int?],
    reservedAhead: Int = mostReservedAhead
  ) {
    (self.file, self.name, self.movie, self.places) = (file, name, movie, places)
    self.reservedAhead = reservedAhead
  }

  /// Writes the beginning of the file.
  func begin() throws(SystemError) { try file.write(movie.head, at: 0) }

  /// Notes that the file has been renamed.
  func renamed(to name: String) { self.name = name }

  /// Adds a packet of a track of the recorder to the present fragment.
  /// - Returns: `false` if the track is not in the file.
  @discardableResult
  func add(_ packet: Packet, of track: UInt8, format: MovieTrack) -> Bool {
    guard let place = places[Int(track)] else { return false }
    var configuration: [UInt8] = []
    if case .video(let header) = format { configuration = header.avcConfiguration }
    movie.add(packet, to: place, avcConfiguration: configuration)
    return true
  }

  /// Writes the present fragment, if any packet was added, and flushes it.
  /// - Parameter hidden: what must not be written, since it is from before a cut; asked just before.
  /// - Returns: whether a fragment was written.
  func writeFragment(_ hidden: () -> HiddenPackets) throws(SystemError) -> Bool {
    let hides = hidden()
    movie.discardPending(video: hides.video, audio: hides.audio)
    let start = movie.size
    let bytes = movie.fragment()
    guard !bytes.isEmpty else { return false }
    reserve(upTo: movie.size)
    do throws(SystemError) {
      try file.write(bytes, at: start)
      try file.flush()
    } catch {
      movie.removeFragments(from: start)
      throw error
    }
    return true
  }

  /// Reserves space when half of it is used up. That there is none is no error: the next write tells.
  private func reserve(upTo size: Int) {
    guard canReserve, reservedTo < size + reservedAhead / 2 else { return }
    do throws(SystemError) {
      try file.reserve(at: size, count: reservedAhead)
      reservedTo = size + reservedAhead
    } catch {
      canReserve = error.code == ENOSPC
    }
  }

  /// Writes the index. If the disk is full, the last fragments make room for it.
  func finish() throws(SystemError) {
    for _ in 0..<8 {
      do throws(SystemError) { return try MovieEnding.write(movie, to: file) } catch {
        guard error.code == ENOSPC else { throw error }
        movie.removeLast(atLeast: movie.endingSize)
        try file.truncate(to: movie.size)
      }
    }
    throw SystemError(ENOSPC)
  }
}
