// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix
internal import Settings
internal import Synchronization

// A box whose settings file has mistakes runs with stand-in settings, reports the mistakes, and reads the file again
// once it has been changed.

extension SettingsDesk {
  /// The most mistakes that one report names: a file that is no settings file at all has very many.
  private static let mostProblems = 10

  /// Reports the mistakes in the settings, and which settings are used instead.
  func report(_ standIn: StandIn) {
    let shown = standIn.problems.prefix(SettingsDesk.mostProblems).map {
      $0.description.replacing("\n", with: "; ")
    }
    let more = standIn.problems.count - shown.count
    let rest = more > 0 ? "; and \(more) more (\"onair check\" names all)" : ""
    let instead =
      switch standIn.source {
      case .lastThatWorked: "the last ones that worked are used until that is corrected"
      case .faultlessLines:
        "none that worked are kept, so the box is off air until that is corrected"
      }
    let cover = standIn.coversCamera ? " Meanwhile \(Settings.coverSentence)." : ""
    events.report(
      .settingsUnfit, level: .error, subject: "settings file", cause: "mistakes",
      "The settings have mistakes, and \(instead): \(shown.joined(separator: "; "))\(rest).\(cover)"
    )
  }

  /// If the mistakes in the settings have changed: reports the mistakes, or that the settings have none any more.
  /// - Parameters:
  ///   - standIn: the present stand-in settings; `nil` if the settings have no mistakes.
  ///   - before: the stand-in settings until now; `nil` if the settings had no mistakes.
  func reportMistakes(_ standIn: StandIn?, before: StandIn?) {
    guard standIn?.problems != before?.problems else { return }
    station.setRepair(.settingsFile, isNeeded: standIn != nil)
    if let standIn {
      report(standIn)
    } else {
      events.report(.settingsFit, "The settings file counts again.")
    }
  }

  /// Reports that the settings which were set at run time cannot be read.
  func reportUnreadableSettings() {
    events.report(
      .settingsUnfit, level: .error, subject: "kept settings", cause: "unreadable",
      "What was set on the page or with \"onair set\" cannot be read, so those settings have their defaults: set them again. "
        + "Until then \(Settings.coverSentence). The first change keeps that as the filter \"\(Configuration.coverName)\", "
        + "unless it sets a mask: remove the filter when the masks are back."
    )
  }

  /// Ends the trouble that run-time settings cannot be read, since new run-time settings have been saved.
  func noteReadableSettings() {
    station.setRepair(.keptSettings, isNeeded: false)
    events.endTrouble("kept settings")
  }

  /// Reports what is wrong with the settings file that the owner has put on the memory card. OnAir reads that file only
  /// when it starts, so the trouble stays until the next start.
  package func reportCard(_ sentence: String) {
    station.setRepair(.card, isNeeded: true)
    events.report(.settingsUnfit, level: .error, subject: "card", cause: "mistakes", sentence)
  }

  /// Saves a copy of settings without mistakes, for a later start at which the settings file has mistakes.
  func keepCopy(of configuration: Configuration) {
    guard keepsCopy, let copy = configuration.copy else { return }
    do throws(SystemError) {
      try copy.save(in: started.stateDirectory)
    } catch {
      events.note(
        .warning, "The settings cannot be kept in \(started.stateDirectory) (\(error)).")
    }
  }

  /// Keeps a copy of the settings that the program started with, without waiting for the disk.
  package func keepCopy() {
    station.jobs.submit { [self] in keepCopy(of: started) }
  }

  /// If the settings file had mistakes, reads it again once it has changed. To be called about once a second.
  package func checkSettingsFile() {
    // Do not wait for the lock, which is held while a change is being saved.
    let standIn = inForce.withLockIfAvailable { $0.standIn } ?? nil
    guard let standIn else { return }
    station.jobs.submit { [self] in
      guard standIn.isOutdated else { return }
      do throws(StationError) {
        _ = try readAgain(by: "since the settings file has changed")
      } catch {
        noteStillUnfit()
      }
    }
  }

  /// Reports the mistakes of a settings file that has been changed but still has mistakes.
  private func noteStillUnfit() {
    inForce.withLock { inForce in
      guard let new = try? read(.given(inForce.runTime)).standIn else { return }
      reportMistakes(new, before: inForce.standIn)
      inForce.standIn = new
    }
  }
}
