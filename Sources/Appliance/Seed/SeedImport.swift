// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Posix
public import Settings

/// Imports the settings file on a memory card, for `onair seed`. Runs as root at each start, before OnAir.
///
/// Everything is saved before the secrets are erased on the card, and each step can be repeated: after a power cut the
/// next start repeats all steps.
public struct SeedImport: Sendable {
  /// The result of an import.
  public enum Outcome: Sendable, Equatable {
    /// There is no settings file on the card.
    case nothing
    /// The file was imported at an earlier start.
    case known
    /// The file was imported.
    case taken
    /// The file was imported, but its secrets could not be erased on the card; a sentence says why. The next start
    /// tries again.
    case secretsLeft(String)
    /// The file was imported, but earlier settings of the box were lost, and perhaps privacy masks with them. The value
    /// is a sentence which says that the camera's picture is covered.
    case covered(String)
    /// The file has mistakes, and nothing of it was imported. The value has a sentence for each problem.
    case mistaken([String])
    /// The file has no mistakes but could not be saved on the box; a sentence says why. The next start tries again.
    case notKept(String)
  }

  /// An error that means `Outcome.notKept`, with the sentence of that outcome.
  private struct NotKeptError: Error {
    var sentence: String
  }

  /// The name of a file in the state directory: a copy, without secrets, of the settings file that was last imported.
  static let takenName = Seed.appliedName
  /// The name of the file in the state directory that keeps the problem of the last import as a sentence.
  static let mistakesName = "seed-mistakes"
  /// The name of the file on the card that lists the mistakes, for the person who wrote the settings.
  static let errorsName = "onair-errors.txt"
  /// The folder where the card is mounted.
  private let folder: String
  /// The path of the state directory.
  private let state: String
  /// NetworkManager's folder for keyfiles.
  private let connections: String
  /// The environment variables of the process.
  private let environment: [String: String]
  /// Loads the configuration with the given run-time settings.
  private let load: @Sendable (RunTimeSettings) throws(ConfigurationError) -> Configuration

  /// - Parameters:
  ///   - folder: the folder where the card is mounted.
  ///   - state: the state directory, whose lock the caller holds.
  ///   - connections: NetworkManager's folder for keyfiles.
  ///   - environment: the environment variables. `ONAIR_MARKS` names the folder with the `PasswordMark`, the file
  ///     outside of the state directory which says that the box has a password.
  ///   - load: loads the configuration with the given run-time settings.
  public init(
    folder: String, state: StateDirectory, connections: String,
    environment: [String: String] = [:],
    load: @escaping @Sendable (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) {
    (self.folder, self.state) = (folder, state.path)
    (self.connections, self.environment, self.load) = (connections, environment, load)
  }

  /// Imports the settings file on the card, if any, and writes what is wrong to the card and the state directory.
  public func run() async -> Outcome {
    let files = CardFiles(
      File.names(in: folder).filter { $0 == Seed.fileName || File.isRegular("\(folder)/\($0)") })
    guard let name = files.chosen else {
      let outcome = files.refusal.map { Outcome.mistaken([$0]) } ?? .nothing
      reportProblems(outcome)
      return outcome
    }
    let outcome = await importFile(name)
    reportProblems(
      outcome, unused: files.others.map { "\($0) is not used, since there is \(name)." })
    return outcome
  }

  /// Imports the file of this name on the card.
  private func importFile(_ name: String) async -> Outcome {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try File.read("\(folder)/\(name)", limit: Seed.maxBytes, followsLinks: false).bytes
    } catch {
      return .mistaken(["\(name) \(error.sentence)."])
    }
    let taken = try? File.readPrivate(Self.takenName, in: state, limit: Seed.maxBytes + 1)
    if bytes == taken { return .known }
    let seed: Seed
    let readable = try? RunTimeSettings(directory: state)
    let present = readable ?? RunTimeSettings()
    let mayLackMasks = readable == nil || StatePlace.hasLostState(in: state, environment)
    let runTime: RunTimeSettings
    do throws(ConfigurationError) {
      seed = try Seed(bytes)
      runTime = present.applying(
        mayLackMasks ? Configuration.covering(seed.change) : seed.change)
      try check(runTime, against: present, seed)
    } catch {
      if let taken, Seed.isHalfEmptied(bytes, taken) { return empty(name, taken) ?? .known }
      return .mistaken(error.problems.map(\.editorText))
    }
    do throws(AccessError) {
      // Check the password before anything is saved.
      if seed.password.isSet {
        try await Access(directory: state) { _ in }.checkAdoptable(seed.password.reveal())
      }
    } catch .busy {
      return .notKept(AccessError.busy.sentence)
    } catch {
      let problem = Problem(
        place: .change, key: "page.password", sentence: String(error.sentence.dropLast()))
      return .mistaken([seed.withPosition(problem).editorText])
    }
    do throws(NotKeptError) {
      try await keep(runTime, seed, keepsOld: readable == nil)
    } catch {
      return .notKept(error.sentence)
    }
    // Save a copy without secrets before emptying the card's file. If a power cut interrupts the emptying, the copy
    // shows that the file has been imported. If the copy cannot be saved, the next start imports the file again.
    try? File.replace(Self.takenName, in: state, with: seed.emptied)
    let outcome = mayLackMasks ? Outcome.covered(Self.coverSentence) : .taken
    return bytes == seed.emptied ? outcome : empty(name, seed.emptied) ?? outcome
  }

  /// The sentence of `Outcome.covered`.
  private static let coverSentence =
    "The card's settings were taken, but earlier settings of this box are lost. So \(Settings.coverSentence). Set the "
    + "masks again if there were some, then remove the filter \"\(Configuration.coverName)\"."

  /// Overwrites the file on the card with the same file without its secrets.
  /// - Returns: `nil` on success, else the outcome of the import.
  private func empty(_ name: String, _ emptied: [UInt8]) -> Outcome? {
    do throws(PrivateFileError) {
      try File.overwritePrivate(name, in: folder, with: emptied)
      return nil
    } catch {
      return .secretsLeft(
        "All settings of \(name) were taken, but its passwords and keys are still on the card, since the file "
          + "\(error.sentence): remove them.")
    }
  }

  /// Checks the run-time settings that result from the card's settings file (the seed).
  /// - Throws: the mistakes that only the card's file adds to the present settings.
  private func check(
    _ runTime: RunTimeSettings, against present: RunTimeSettings, _ seed: Seed
  ) throws(ConfigurationError) {
    var before: [Problem] = []
    do throws(ConfigurationError) { _ = try load(present) } catch { before = error.problems }
    do throws(ConfigurationError) {
      _ = try load(runTime)
    } catch {
      let new = error.problems.filter { !before.contains($0) }
      guard new.isEmpty else { throw .invalid(new.map(seed.withPosition)) }
    }
  }

  /// Saves on the box what the card's settings file (the seed) contains: the Wi-Fi, the password of the page, and the
  /// run-time settings.
  /// - Parameter keepsOld: whether to keep the present file of run-time settings under another name, because the file
  ///   cannot be read.
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

  /// Makes `password` the password of the page, even if the file with the present one cannot be read.
  private func adopt(_ password: String) async throws(AccessError) {
    let access = Access(directory: state) { _ in }
    do throws(AccessError) {
      _ = try await access.adoptPassword(password)
    } catch .unreadable {
      // The password file is unreadable: reset the password. This is no risk: whoever has inserted the card could also
      // reset the password with the button.
      try await access.reset()
      _ = try await access.adoptPassword(password)
    }
  }

  /// Writes what is wrong to the state directory and to the card, or removes the files that an earlier start wrote.
  /// OnAir reports the problem even if the card cannot be written to.
  /// - Parameter unused: a sentence for each file on the card that was not used. They are written only to the card.
  private func reportProblems(_ outcome: Outcome, unused: [String] = []) {
    let (wasTaken, lines): (Bool, [String]) =
      switch outcome {
      case .nothing, .known, .taken: (true, [])
      case .secretsLeft(let sentence), .covered(let sentence): (true, [sentence])
      case .mistaken(let mistakes): (false, mistakes)
      case .notKept(let sentence): (false, [sentence])
      }
    if lines.isEmpty {
      try? File.remove(Self.mistakesName, in: state)
    } else {
      let text =
        (wasTaken ? "" : "The card's settings were not taken: ") + lines.joined(separator: "; ")
      try? File.replace(Self.mistakesName, in: state, with: Array(text.utf8))
    }
    let opening =
      wasTaken
      ? "OnAir has taken the settings of this card."
      : "OnAir has found mistakes on this card. Correct them, save, and start the box again."
    write(lines + unused, under: opening)
  }

  /// Writes these sentences to the file `errorsName` on the card, or removes the file if there are none. A file with
  /// the same contents is not written again.
  private func write(_ sentences: [String], under opening: String) {
    guard !sentences.isEmpty else {
      if File.names(in: folder).contains(Self.errorsName) {
        try? File.remove(Self.errorsName, in: folder)
      }
      return
    }
    // CR LF: line ends that every editor of Windows understands.
    let bytes = Array(([opening, ""] + sentences).map { "\($0)\r\n" }.joined().utf8)
    let present = try? File.read("\(folder)/\(Self.errorsName)", limit: 65_536).bytes
    if present != bytes { try? File.replace(Self.errorsName, in: folder, with: bytes) }
  }

  /// The problem that the last import found on the card, as a sentence for users; `nil` if it found none.
  static func trouble(in state: String) -> String? {
    (try? File.readPrivate(mistakesName, in: state, limit: 4_096)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
