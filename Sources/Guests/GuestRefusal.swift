// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Why something that a person or a program asks for is not possible.
public enum GuestRefusal: Error, Equatable, Sendable {
  case noGuest(String)
  case disabled(String)
  case removed(String)
  case full(most: Int)
  case notOnAir(String)
  case noLayout(String)
  /// The id of a task is empty, too long, or has control characters.
  case invalidID
  /// There is a task with this id.
  case takenID(String)
  /// There is a task with another id.
  case otherTask(String)
  case noTask(String)

  /// The cause and the remedy, as a sentence for a person.
  public var sentence: String {
    switch self {
    case .noGuest(let name): "There is no guest \(name)."
    case .disabled(let name): "\(name) is switched off: set guest.\(name).enabled=true first."
    case .removed(let name): "\(name) was removed: allow him to come back first."
    case .full(let most):
      """
      There is room for \(Phrase.count(most, "guest")) on air: hide or remove one first, or raise \
      guests.most.
      """
    case .notOnAir(let name): "\(name) is not on air: admit him first."
    case .noLayout(let name): "There is no layout \(name): choose another one, or add it."
    case .invalidID:
      "The id must have 1 to \(MixTask.mostIDCharacters) characters, all of them visible."
    case .takenID(let id): "There is a task \(id) already: change it, or choose another id."
    case .otherTask(let id): "The task \(id) decides the layout: end it first."
    case .noTask(let id): "There is no task \(id)."
    }
  }
}
