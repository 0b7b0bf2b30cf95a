// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Posix
public import Settings

/// Takes over the settings file on a card: `onair seed`. It runs before OnAir, as root, at each start.
///
/// Everything is on the disk before the secrets are emptied on the card, and each step can be done again: after a power
/// cut the next start does all of it.
public struct SeedImport: Sendable {
  public enum Outcome: Sendable, Equatable {
    /// There is no file.
    case nothing
    /// It was taken at an earlier start.
    case known
    case taken
    /// It has mistakes, a sentence each, and nothing of it was taken.
    case mistaken([String])
    /// It has no mistakes but could not be kept: why, as a sentence. The next start tries again.
    case notKept(String)
  }

  private struct NotKeptError: Error {
    var sentence: String
  }

  static let takenName = Seed.takenName
  /// In the state directory: the mistakes, for the box.
  static let mistakesName = "seed-mistakes"
  /// On the card: the mistakes, for a person.
  static let errorsName = "onair-errors.txt"
  private let folder: String
  private let state: String
  private let connections: String
  private let load: @Sendable (RunTimeSettings) throws(ConfigurationError) -> Configuration

  /// - Parameters:
  ///   - folder: the card's.
  ///   - state: the state directory, locked.
  ///   - connections: NetworkManager's folder for keyfiles.
  ///   - load: reads the configuration with other run-time settings.
  public init(
    folder: String, state: StateDirectory, connections: String,
    load: @escaping @Sendable (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) {
    (self.folder, self.state) = (folder, state.path)
    (self.connections, self.load) = (connections, load)
  }

  public func run() async -> Outcome {
    let files = CardFiles(
      File.names(in: folder).filter { $0 == Seed.fileName || File.isRegular("\(folder)/\($0)") })
    guard let name = files.chosen else {
      let outcome = files.question.map { Outcome.mistaken([$0]) } ?? .nothing
      tell(outcome)
      return outcome
    }
    let outcome = await take(name)
    tell(outcome, unused: files.others.map { "\($0) is not used, since there is \(name)." })
    return outcome
  }

  private func take(_ name: String) async -> Outcome {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try File.read("\(folder)/\(name)", limit: Seed.longest, followsLinks: false).bytes
    } catch {
      return .mistaken(["\(name) \(error.sentence)."])
    }
    let taken = try? File.readPrivate(Self.takenName, in: state, limit: Seed.longest + 1)
    if bytes == taken { return .known }
    let seed: Seed
    let readable = try? RunTimeSettings(directory: state)
    let present = readable ?? RunTimeSettings()
    let runTime: RunTimeSettings
    do throws(ConfigurationError) {
      seed = try Seed(bytes)
      runTime = present.applying(seed.change)
      try check(runTime, against: present, seed)
    } catch {
      if let taken, Seed.isHalfEmptied(bytes, taken) { return empty(name, taken) ?? .known }
      return .mistaken(error.problems.map(\.plain))
    }
    do throws(AccessError) {
      // Before anything is kept.
      if seed.password.isSet {
        try await Access(directory: state) { _ in }.checkAdoptable(seed.password.reveal())
      }
    } catch .busy {
      return .notKept(AccessError.busy.sentence)
    } catch {
      let problem = Problem(
        place: .change, key: "page.password", sentence: String(error.sentence.dropLast()))
      return .mistaken([seed.placed(problem).plain])
    }
    do throws(NotKeptError) {
      try await keep(runTime, seed, keepsOld: readable == nil)
    } catch {
      return .notKept(error.sentence)
    }
    // Before the card's file: one that is half emptied is known by it. Without it, the file is taken once more.
    try? File.replace(Self.takenName, in: state, with: seed.emptied)
    if bytes != seed.emptied { return empty(name, seed.emptied) ?? .taken }
    return .taken
  }

  /// Writes a file over with one without secrets.
  /// - Returns: `nil` if it is done.
  private func empty(_ name: String, _ emptied: [UInt8]) -> Outcome? {
    do throws(PrivateFileError) {
      try File.overwritePrivate(name, in: folder, with: emptied)
      return nil
    } catch {
      return .mistaken([
        "All of \(name) was taken, but the file \(error.sentence), so that its passwords are still in it: "
          + "remove them."
      ])
    }
  }

  /// - Throws: the mistakes that the settings have only with the seed's.
  private func check(
    _ runTime: RunTimeSettings, against present: RunTimeSettings, _ seed: Seed
  ) throws(ConfigurationError) {
    var before: [Problem] = []
    do throws(ConfigurationError) { _ = try load(present) } catch { before = error.problems }
    do throws(ConfigurationError) {
      _ = try load(runTime)
    } catch {
      let new = error.problems.filter { !before.contains($0) }
      guard new.isEmpty else { throw .invalid(new.map(seed.placed)) }
    }
  }

  private func keep(
    _ runTime: RunTimeSettings, _ seed: Seed, keepsOld: Bool
  ) async throws(NotKeptError) {
    if let wifi = seed.wifi {
      do throws(SystemError) {
        try WiFiProfile(wifi).save(in: connections)
      } catch {
        throw NotKeptError(
          sentence:
            "The Wi-Fi cannot be set (\(connections): \(error)): is NetworkManager installed?")
      }
    }
    if seed.password.isSet {
      do throws(AccessError) {
        try await adopt(seed.password.reveal())
      } catch {
        throw NotKeptError(sentence: error.sentence)
      }
    }
    do throws(SystemError) {
      try runTime.save(in: state, keepsOld: keepsOld)
    } catch {
      throw NotKeptError(sentence: "The card's settings cannot be kept in \(state) (\(error)).")
    }
  }

  private func adopt(_ password: String) async throws(AccessError) {
    let access = Access(directory: state) { _ in }
    do throws(AccessError) {
      _ = try await access.adoptPassword(password)
    } catch .unreadable {
      // Whoever has the card in hand could as well press the button.
      try await access.reset()
      _ = try await access.adoptPassword(password)
    }
  }

  /// Writes the mistakes where a person finds them, or removes those of an earlier start. A card that cannot be written to
  /// does not keep the box from showing them.
  /// - Parameter unused: of files that were not taken, a sentence each. They are told on the card alone.
  private func tell(_ outcome: Outcome, unused: [String] = []) {
    var lines: [String] = []
    switch outcome {
    case .mistaken(let mistakes): lines = mistakes
    case .notKept(let sentence): lines = [sentence]
    case .nothing, .known, .taken: break
    }
    if lines.isEmpty {
      try? File.remove(Self.mistakesName, in: state)
    } else {
      try? File.replace(
        Self.mistakesName, in: state, with: Array(lines.joined(separator: "\n").utf8))
    }
    let opening =
      lines.isEmpty
      ? "OnAir has taken the settings of this card."
      : "OnAir has found mistakes on this card. Correct them, save, and start the box again."
    write(lines + unused, under: opening)
  }

  /// Writes, or removes, the file for a person. A file that says the same is not written to.
  private func write(_ sentences: [String], under opening: String) {
    guard !sentences.isEmpty else {
      if File.names(in: folder).contains(Self.errorsName) {
        try? File.remove(Self.errorsName, in: folder)
      }
      return
    }
    // Line ends for every editor of Windows.
    let bytes = Array(([opening, ""] + sentences).map { "\($0)\r\n" }.joined().utf8)
    let present = try? File.read("\(folder)/\(Self.errorsName)", limit: 65_536).bytes
    if present != bytes { try? File.replace(Self.errorsName, in: folder, with: bytes) }
  }

  /// The mistakes that the last start found, as a sentence for users; `nil` if there were none.
  static func trouble(in state: String) -> String? {
    guard let bytes = try? File.readPrivate(mistakesName, in: state, limit: 4_096) else {
      return nil
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return "The card's settings were not taken: \(lines.joined(separator: "; "))"
  }
}
