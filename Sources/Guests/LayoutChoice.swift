// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Decides which layout the programme has, and who is heard. README.md in this folder has the rules as a table.
///
/// Reads no clock and does no I/O. What a person chooses counts before the task of a program, and that before the rule
/// that the layout follows who is on air.
public struct LayoutChoice: Sendable {
  /// What viewers get, as long as they get live video and audio.
  public enum Programme: Equatable, Sendable {
    /// One alone, in picture and sound.
    case bypass(PaneSource)
    /// The host and all guests on air are heard, and seen as the layout says.
    case mix(GuestLayout)
  }

  /// Who has chosen the layout.
  public enum Origin: Equatable, Sendable {
    case automatic
    case person
    case task(id: String)
  }

  private var rules: GuestRules
  /// The layout that a person has chosen; `nil` if none has, or it was given back.
  public private(set) var choice: GuestLayout?
  /// The task of a program; `nil` if there is none.
  public private(set) var task: MixTask?
  /// Whether a task has ended while guests are on air: the host stays alone until somebody chooses a layout.
  private var isHostKept = false
  /// The names of the guests who had a pane at the last `update`.
  private var shown: [String] = []

  /// - Parameter choice: what a person had chosen before a restart of the program.
  public init(_ rules: GuestRules, choice: GuestLayout? = nil) {
    self.rules = rules
    if let choice, (try? check(choice)) != nil { self.choice = choice }
  }

  /// Who has chosen the layout.
  public var origin: Origin {
    choice != nil ? .person : task.map { .task(id: $0.id) } ?? .automatic
  }

  /// The layout of the settings, if it is one of free panes that the settings do not have.
  public var missingLayout: String? {
    guard case .free(let name) = rules.layout, rules.freeLayouts[name] == nil else { return nil }
    return name
  }

  // MARK: What happens

  /// Follows who has a pane (`GuestRoom.shown`). To be called after each change of the guests.
  public mutating func update(_ guests: [GuestRoom.Shown]) {
    let before = shown
    shown = guests.map(\.name)
    if !before.isEmpty, shown.isEmpty {
      (choice, isHostKept) = (nil, false)
      task?.mode = .bypass
      task?.source = .host
    }
    let left = Set(before).subtracting(shown)
    if case .guest(let name?) = choice, left.contains(name) { choice = nil }
    if case .guest(let name) = task?.source, left.contains(name) { task?.source = .host }
  }

  /// Follows changed settings.
  public mutating func follow(_ rules: GuestRules) {
    self.rules = rules
    if let layout = choice, (try? check(layout)) == nil { choice = nil }
  }

  /// Notes that the broadcast has ended: the next one begins with the layout of the settings, and without a task.
  public mutating func endBroadcast() {
    (choice, task, isHostKept) = (nil, nil, false)
  }

  // MARK: What a person asks for

  /// Chooses a layout. It stays until it is given back, the last guest leaves or the broadcast ends.
  public mutating func choose(_ layout: GuestLayout) throws(GuestRefusal) {
    try check(layout)
    if case .guest(let name?) = layout, !shown.contains(name) { throw .notOnAir(name) }
    (choice, isHostKept) = (layout, false)
  }

  /// Gives the choice back: the layout follows the task of a program, or who is on air.
  public mutating func giveBack() {
    (choice, isHostKept) = (nil, false)
  }

  /// Chooses the next layout, as a button does: that of the settings, a guest alone, the host alone, and again.
  /// - Returns: false if nobody is on air, when there is nothing to choose.
  public mutating func chooseNext() -> Bool {
    guard !shown.isEmpty else { return false }
    let host: GuestLayout? = rules.isAutomatic ? .single : nil
    let settings: GuestLayout? = rules.isAutomatic ? nil : rules.layout
    let cycle = [settings, .guest(nil), host]
    let present = cycle.firstIndex(of: choice) ?? cycle.count - 1
    (choice, isHostKept) = (cycle[(present + 1) % cycle.count], false)
    return true
  }

  // MARK: What a program asks for

  public mutating func begin(_ task: MixTask) throws(GuestRefusal) {
    guard task.hasValidID else { throw .invalidID }
    if let other = self.task {
      throw other.id == task.id ? .takenID(task.id) : .otherTask(other.id)
    }
    try check(task)
    (self.task, isHostKept) = (task, false)
  }

  /// Changes the task with this id. What is `nil` stays as it is.
  public mutating func change(
    _ id: String, mode: MixTask.Mode? = nil, source: PaneSource? = nil, layout: GuestLayout? = nil
  ) throws(GuestRefusal) {
    guard var task, task.id == id else { throw .noTask(id) }
    task.mode = mode ?? task.mode
    task.source = source ?? task.source
    task.layout = layout ?? task.layout
    try check(task)
    self.task = task
  }

  /// Ends the task with this id. The host is alone until somebody chooses a layout, or the next guests come.
  public mutating func end(_ id: String) throws(GuestRefusal) {
    guard task?.id == id else { throw .noTask(id) }
    (task, isHostKept) = (nil, !shown.isEmpty)
  }

  /// Refuses a task that names what the settings do not have.
  private func check(_ task: MixTask) throws(GuestRefusal) {
    if case .guest(let name) = task.source { try check(.guest(name)) }
    if let layout = task.layout { try check(layout) }
  }

  private func check(_ layout: GuestLayout) throws(GuestRefusal) {
    switch layout {
    case .single, .sideBySide, .pip, .grid, .guest(nil): break
    case .guest(let name?):
      guard rules.guests.contains(where: { $0.name == name }) else { throw .noGuest(name) }
    case .free(let name):
      guard rules.freeLayouts[name] != nil else { throw .noLayout(name) }
    }
  }

  // MARK: The rules

  /// What viewers get while these guests have a pane.
  public func programme(_ guests: [GuestRoom.Shown]) -> Programme {
    if guests.isEmpty { return .bypass(.host) }
    if let choice { return .mix(usable(choice, guests)) }
    guard let task else {
      return isHostKept || !rules.isAutomatic ? .bypass(.host) : .mix(usable(rules.layout, guests))
    }
    switch (task.mode, task.source) {
    case (.mix, _): return .mix(usable(task.layout ?? rules.layout, guests))
    case (.bypass, .guest(let name)) where !guests.contains { $0.name == name }:
      return .bypass(.host)
    case (.bypass, let source): return .bypass(source)
    }
  }

  /// Where viewers see whom while these guests have a pane.
  /// - Parameter picture: the size of the programme's picture.
  public func panes(_ guests: [GuestRoom.Shown], on picture: PictureSize) -> [Pane] {
    let cells = PaneCells(guests, on: picture)
    return switch programme(guests) {
    case .bypass(.host): cells.alone(.host)
    case .bypass(.guest(let name)): cells.alone(.guest(name))
    case .mix(.free(let name)): cells.free(rules.freeLayouts[name] ?? [])
    case .mix(let layout): cells.preset(layout)
    }
  }

  /// The layout, if it can be shown now; otherwise that of the settings, or side by side.
  private func usable(_ layout: GuestLayout, _ guests: [GuestRoom.Shown]) -> GuestLayout {
    [layout, rules.layout].first { layout in
      switch layout {
      case .single, .sideBySide, .pip, .grid, .guest(nil): true
      case .guest(let name?): guests.contains { $0.name == name }
      case .free(let name):
        !FreePane.placed(rules.freeLayouts[name] ?? [], guests.map(\.name)).isEmpty
      }
    } ?? .sideBySide
  }
}

extension LayoutChoice.Programme {
  /// Whether viewers hear the host.
  public var hearsHost: Bool {
    switch self {
    case .bypass(let source): source == .host
    case .mix: true
    }
  }

  /// Whether viewers hear a guest on air, as long as the programme takes his sound.
  public func hears(guest name: String) -> Bool {
    switch self {
    case .bypass(let source): source == .guest(name)
    case .mix: true
    }
  }
}
