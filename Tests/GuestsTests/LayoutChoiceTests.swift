// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Guests
import Testing

/// Holds `LayoutChoice` to the table "Which layout" in Sources/Guests/README.md.
@Suite struct LayoutChoiceTests {
  private typealias Programme = LayoutChoice.Programme
  private static let names = ["ann", "bob", "cid"]
  private static let ann = [GuestRoom.Shown("ann")]
  private static let both = ann + [GuestRoom.Shown("bob")]
  private static let studio = [
    FreePane(.host, PaneArea(x: 0, y: 0, width: 0.75, height: 0.75)),
    FreePane(.guest("cid"), PaneArea(x: 0.75, y: 0, width: 0.25, height: 0.25)),
  ]
  private static let duo = [
    FreePane(.guest("ann"), PaneArea(x: 0, y: 0, width: 0.5, height: 1)),
    FreePane(.guest("bob"), PaneArea(x: 0.5, y: 0, width: 0.5, height: 1)),
  ]

  private func rules(
    _ layout: GuestLayout = .sideBySide, auto: Bool = true,
    free: [String: [FreePane]] = ["studio": studio, "duo": duo]
  ) -> GuestRules {
    GuestRules(
      Self.names.map { GuestRules.Guest($0) }, isAutomatic: auto, layout: layout, freeLayouts: free)
  }

  /// A choice to which these guests have come.
  private func choice(
    _ layout: GuestLayout = .sideBySide, auto: Bool = true, with guests: [GuestRoom.Shown] = ann
  ) -> LayoutChoice {
    var choice = LayoutChoice(rules(layout, auto: auto))
    choice.update(guests)
    return choice
  }

  @Test("The program restarts during a broadcast: what a person has chosen goes on")
  func restarts() {
    var choice = LayoutChoice(rules(), choice: .guest("ann"))
    #expect(choice.programme([]) == .bypass(.host))
    choice.update([GuestRoom.Shown("bob")])
    #expect(choice.programme([GuestRoom.Shown("bob")]) == .mix(.sideBySide))
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .mix(.guest("ann")) && choice.origin == .person)
    #expect(LayoutChoice(rules(), choice: .free("gone")).choice == nil)
  }

  @Test("Nobody on air is the host alone, somebody is guests.layout, and nobody again the host")
  func follows() {
    var choice = choice(.grid, with: [])
    #expect(choice.programme([]) == .bypass(.host))
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .mix(.grid))
    #expect(choice.origin == .automatic)
    choice.update([])
    #expect(choice.programme([]) == .bypass(.host))
  }

  @Test("With guests.auto = false the host is alone until a layout is chosen")
  func notAutomatic() throws {
    var choice = choice(auto: false)
    #expect(choice.programme(Self.ann) == .bypass(.host))
    #expect(!choice.programme(Self.ann).hears(guest: "ann"))
    try choice.choose(.sideBySide)
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
    choice.update([])
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .bypass(.host))
  }

  @Test("A bypass has the sound of one, and a mix that of all")
  func heard() throws {
    var choice = choice(.single, with: Self.both)
    let mix = choice.programme(Self.both)
    #expect(mix == .mix(.single))
    #expect(mix.hearsHost && mix.hears(guest: "ann") && mix.hears(guest: "bob"))
    try choice.begin(MixTask("1", .bypass, source: .guest("bob")))
    let bob = choice.programme(Self.both)
    #expect(!bob.hearsHost && !bob.hears(guest: "ann") && bob.hears(guest: "bob"))
    try choice.change("1", source: .host)
    let host = choice.programme(Self.both)
    #expect(host.hearsHost && !host.hears(guest: "ann") && !host.hears(guest: "bob"))
  }

  @Test(
    "What a person chooses counts until it is given back, the last guest goes or the broadcast ends"
  )
  func chosen() throws {
    var choice = choice(with: [])
    // Before anybody is on air.
    try choice.choose(.pip(.topLeft))
    choice.update([])
    #expect(choice.programme([]) == .bypass(.host))
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .mix(.pip(.topLeft)))
    #expect(choice.origin == .person)
    choice.giveBack()
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
    try choice.choose(.single)
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .mix(.single))
    choice.update([])
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
    try choice.choose(.single)
    choice.endBroadcast()
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
  }

  @Test("A button goes through the layout of the settings, a guest alone and the host alone")
  func button() throws {
    for auto in [true, false] {
      var choice = choice(.grid, auto: auto, with: [])
      let isUseless = !choice.chooseNext()
      #expect(isUseless)
      #expect(choice.origin == .automatic)
      choice.update(Self.ann)
      var seen: [Programme] = []
      for _ in 0..<4 {
        seen.append(choice.programme(Self.ann))
        let hasChosen = choice.chooseNext()
        #expect(hasChosen)
      }
      let host = auto ? Programme.mix(.single) : .bypass(.host)
      let cycle = [Programme.mix(.grid), .mix(.guest(nil)), host]
      #expect(seen == (auto ? cycle + [cycle[0]] : [host] + cycle))
      // From any other layout, it is the first.
      try choice.choose(.pip(.topLeft))
      _ = choice.chooseNext()
      #expect(choice.programme(Self.ann) == .mix(.grid))
    }
  }

  @Test("A layout with a guest who is not on air is refused, and given back when he goes")
  func chosenGuest() throws {
    var choice = choice()
    #expect(throws: GuestRefusal.notOnAir("bob")) { try choice.choose(.guest("bob")) }
    #expect(throws: GuestRefusal.noGuest("eve")) { try choice.choose(.guest("eve")) }
    choice.update(Self.both)
    try choice.choose(.guest("bob"))
    #expect(choice.programme(Self.both) == .mix(.guest("bob")))
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
    #expect(choice.origin == .automatic)
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .mix(.sideBySide))
    // Even before it was told that he has gone, he is not in it.
    try choice.choose(.guest("bob"))
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
  }

  @Test("A layout that the settings do not have is refused, and given back when it is taken out")
  func unknownLayout() throws {
    var choice = choice()
    let refusal = #expect(throws: GuestRefusal.self) { try choice.choose(.free("hall")) }
    #expect(refusal?.sentence == "There is no layout hall: choose another one, or add it.")
    try choice.choose(.free("studio"))
    #expect(choice.programme(Self.ann) == .mix(.free("studio")))
    choice.follow(rules(free: [:]))
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
    choice.follow(rules())
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
  }

  @Test("If guests.layout is not there, it is side by side, and told")
  func missingLayout() {
    var choice = choice(.free("hall"))
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
    #expect(choice.missingLayout == "hall")
    choice.follow(rules(.free("studio")))
    #expect(choice.programme(Self.ann) == .mix(.free("studio")))
    #expect(choice.missingLayout == nil)
    choice.follow(rules(.guest("cid")))
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
  }

  @Test("Free panes without a pane for anybody there give way to guests.layout")
  func emptyLayout() throws {
    var choice = choice(.grid, with: Self.both)
    try choice.choose(.free("duo"))
    #expect(choice.programme(Self.both) == .mix(.free("duo")))
    let cid = [GuestRoom.Shown("cid")]
    choice.update(Self.both + cid)
    choice.update(cid)
    #expect(choice.programme(cid) == .mix(.grid))
    choice.update(cid + Self.ann)
    #expect(choice.programme(cid + Self.ann) == .mix(.free("duo")))
  }

  @Test("A task of mode mix waits for the first guest, and is bypass when the last one goes")
  func mixTask() throws {
    var choice = choice(with: [])
    try choice.begin(MixTask("1", .mix, layout: .grid))
    choice.update([])
    #expect(choice.programme([]) == .bypass(.host))
    #expect(choice.task?.mode == .mix)
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .mix(.grid))
    #expect(choice.origin == .task(id: "1"))
    choice.update([])
    #expect(choice.task?.mode == .bypass)
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .bypass(.host))
    try choice.change("1", mode: .mix)
    #expect(choice.programme(Self.ann) == .mix(.grid))
    // The source that a bypass would have had is forgotten, too.
    try choice.change("1", mode: .mix, source: .guest("bob"))
    choice.update([])
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .bypass(.host))
    // Without a layout of its own, it has that of the settings.
    var other = self.choice(.pip(.bottomLeft))
    try other.begin(MixTask("2", .mix))
    #expect(other.programme(Self.ann) == .mix(.pip(.bottomLeft)))
  }

  @Test("A task of mode bypass has one source; a guest who is not there is the host")
  func bypassTask() throws {
    var choice = choice(with: [])
    try choice.begin(MixTask("1", .bypass, source: .guest("ann")))
    #expect(choice.programme([]) == .bypass(.host))
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .bypass(.guest("ann")))
    let bob = [GuestRoom.Shown("bob")]
    #expect(choice.programme(bob) == .bypass(.host))
    choice.update(bob)
    #expect(choice.task?.source == .host)
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .bypass(.host))
    try choice.change("1", source: .guest("ann"))
    #expect(choice.programme(Self.both) == .bypass(.guest("ann")))
  }

  @Test("A person counts before a task, and a task before guests.auto")
  func order() throws {
    var choice = choice()
    try choice.choose(.single)
    try choice.begin(MixTask("1", .mix, layout: .grid))
    #expect(choice.programme(Self.ann) == .mix(.single))
    #expect(choice.origin == .person)
    choice.giveBack()
    #expect(choice.programme(Self.ann) == .mix(.grid))
    try choice.change("1", mode: .bypass)
    #expect(choice.programme(Self.ann) == .bypass(.host))
    try choice.choose(.grid)
    #expect(choice.programme(Self.ann) == .mix(.grid))
  }

  @Test("A taken id is refused, and so are a second task and one that is not understood")
  func refused() throws {
    var choice = choice()
    try choice.begin(MixTask("1", .mix, layout: .grid))
    #expect(throws: GuestRefusal.takenID("1")) { try choice.begin(MixTask("1", .bypass)) }
    #expect(throws: GuestRefusal.otherTask("1")) { try choice.begin(MixTask("2", .bypass)) }
    #expect(throws: GuestRefusal.noTask("2")) { try choice.change("2", mode: .bypass) }
    #expect(throws: GuestRefusal.noTask("2")) { try choice.end("2") }
    #expect(throws: GuestRefusal.noGuest("eve")) { try choice.change("1", source: .guest("eve")) }
    #expect(throws: GuestRefusal.noLayout("x")) { try choice.change("1", layout: .free("x")) }
    #expect(choice.task == MixTask("1", .mix, layout: .grid))
    try choice.end("1")
    for id in ["", String(repeating: "a", count: 56), "a\nb", "a\u{0}"] {
      #expect(throws: GuestRefusal.invalidID) { try choice.begin(MixTask(id, .mix)) }
    }
    #expect(throws: GuestRefusal.noGuest("eve")) {
      try choice.begin(MixTask("1", .bypass, source: .guest("eve")))
    }
    #expect(throws: GuestRefusal.noLayout("hall")) {
      try choice.begin(MixTask("1", .mix, layout: .free("hall")))
    }
    #expect(choice.task == nil)
    try choice.begin(MixTask(String(repeating: "é", count: 55), .mix))
  }

  @Test("A change of a task leaves what it does not name")
  func changed() throws {
    var choice = choice(with: Self.both)
    try choice.begin(MixTask("1", .mix, source: .guest("bob"), layout: .grid))
    try choice.change("1", mode: .bypass)
    #expect(choice.task == MixTask("1", .bypass, source: .guest("bob"), layout: .grid))
    try choice.change("1", mode: .mix, layout: .single)
    #expect(choice.programme(Self.both) == .mix(.single))
    try choice.change("1")
    #expect(choice.task == MixTask("1", .mix, source: .guest("bob"), layout: .single))
  }

  @Test("A deleted task leaves the host alone until somebody chooses or the last guest has gone")
  func deleted() throws {
    var choice = choice(with: Self.both)
    func deleteTask() throws {
      try choice.begin(MixTask("1", .mix, layout: .grid))
      try choice.end("1")
      #expect(choice.task == nil)
      #expect(choice.programme(Self.both) == .bypass(.host))
    }
    try deleteTask()
    choice.update(Self.ann)
    #expect(choice.programme(Self.ann) == .bypass(.host))
    choice.update([])
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .mix(.sideBySide))
    try deleteTask()
    choice.giveBack()
    #expect(choice.programme(Self.both) == .mix(.sideBySide))
    try deleteTask()
    try choice.choose(.single)
    #expect(choice.programme(Self.both) == .mix(.single))
    choice.giveBack()
    // With nobody on air, nothing is kept.
    choice.update([])
    try choice.begin(MixTask("1", .mix))
    try choice.end("1")
    choice.update(Self.both)
    #expect(choice.programme(Self.both) == .mix(.sideBySide))
  }

  @Test("The broadcast ends, and with it the task")
  func broadcastEnds() throws {
    var choice = choice()
    try choice.begin(MixTask("1", .bypass))
    choice.endBroadcast()
    #expect(choice.task == nil)
    #expect(choice.programme(Self.ann) == .mix(.sideBySide))
  }

  @Test("A layout is read as it is written, and other names are those of free panes")
  func names() {
    let texts = [
      "single", "side_by_side", "pip", "pip_top_left", "pip_top_right", "pip_bottom_left", "grid",
      "guest", "guest:ann", "studio",
    ]
    let layouts: [GuestLayout] = [
      .single, .sideBySide, .pip(.bottomRight), .pip(.topLeft), .pip(.topRight), .pip(.bottomLeft),
      .grid, .guest(nil), .guest("ann"), .free("studio"),
    ]
    #expect(texts.map { GuestLayout($0) } == layouts)
    #expect(layouts.map(\.text) == texts)
    #expect(GuestLayout("pip_bottom_right") == .pip(.bottomRight))
    #expect(GuestLayout("pip_left") == .free("pip_left"))
  }
}
