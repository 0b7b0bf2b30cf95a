// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Events
internal import Guests
internal import Settings

extension EventLog {
  /// Reports what has happened to a guest or to the layout.
  func report(_ news: GuestTable.News, _ table: GuestTable) {
    switch news {
    case .guest(let event): report(event, lostSeconds: table.settings.allGuests.lostSeconds)
    case .admitted(let name, let origin):
      report(.guestAdmitted, subject: name, "The guest \(name) was let in \(origin).")
    case .removed(let name, let origin):
      report(
        .guestRemoved, subject: name,
        "The guest \(name) was removed \(origin), and does not come back until he is allowed to.")
    case .failed(let name, let offline):
      report(
        .guestFailed, level: .warning, subject: name, cause: offline.fault?.code, offline.sentence)
    case .back(let name):
      report(.guestBack, subject: name, "The guest \(name) is received.")
    case .layout(let layout, let origin):
      report(
        .layoutChanged, cause: origin.code,
        layout == LayoutChoice.Programme.bypass(.host).text
          ? "Viewers see the camera alone." : "Viewers see the layout \(layout)."
      ) { $0.layout = layout }
    }
  }

  private func report(_ event: GuestEvent, lostSeconds: Int) {
    let name = event.guest
    let code: Event.Code
    let sentence: String
    var (picture, sound, cause) = (nil as Bool?, nil as Bool?, nil as String?)
    switch event.kind {
    case .waiting: (code, sentence) = (.guestWaiting, "The guest \(name) is there, and waits.")
    case .online: (code, sentence) = (.guestOnline, "The guest \(name) is on air.")
    case .tracks(let hasPicture, let hasSound):
      (picture, sound) = (hasPicture, hasSound)
      code = .guestTracks
      sentence =
        switch (hasPicture, hasSound) {
        case (true, true): "Picture and sound of the guest \(name) arrive."
        case (true, false): "Only the picture of the guest \(name) arrives."
        case (false, true): "Only the sound of the guest \(name) arrives."
        case (false, false):
          "Nothing of the guest \(name) arrives: his place is kept for \(Phrase.duration(lostSeconds))."
        }
    case .offline(let why):
      (code, cause) = (.guestOffline, why.rawValue)
      sentence =
        switch why {
        case .quit: "The guest \(name) has left."
        case .dropped: "The guest \(name) is gone: his connection is lost."
        case .removed: "The guest \(name) is gone: he was removed, switched off or changed."
        case .replaced: "The guest \(name) has connected a second time: the first one has ended."
        }
    }
    report(code, subject: name, cause: cause, sentence) {
      ($0.elapsedS, $0.picture, $0.sound) = (
        Int(event.elapsedNanos / 1_000_000_000), picture, sound
      )
    }
  }
}

extension LayoutChoice.Origin {
  /// Who has chosen the layout, as a code for programs.
  var code: String {
    switch self {
    case .automatic: "automatic"
    case .person: "hand"
    case .task: "task"
    }
  }
}

extension GuestRefusal {
  /// The refusal as a code for programs.
  var code: String {
    switch self {
    case .noGuest: "unknown_guest"
    case .disabled: "guest_off"
    case .removed: "guest_removed"
    case .full: "guests_full"
    case .notOnAir: "guest_not_on_air"
    case .noLayout: "unknown_layout"
    case .invalidID: "unfit_id"
    case .takenID: "id_taken"
    case .otherTask: "other_task"
    case .noTask: "unknown_task"
    }
  }
}

extension ControlReply {
  init(_ refusal: GuestRefusal) { self.init(fault: refusal.code, refusal.sentence) }
}
