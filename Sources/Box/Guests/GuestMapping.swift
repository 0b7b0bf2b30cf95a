// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Guests
internal import Settings

extension GuestRules {
  /// What the settings say about guests and layouts.
  init(_ settings: Settings) {
    let all = settings.allGuests
    self.init(
      settings.guests.map(Guest.init), lostSeconds: all.lostSeconds, most: all.most,
      isAutomatic: all.followsGuests, layout: GuestLayout(all.layout),
      freeLayouts: settings.layouts.reduce(into: [:]) { layouts, layout in
        layouts[layout.name] = layout.panes.map(FreePane.init)
      })
  }
}

extension GuestRules.Guest {
  fileprivate init(_ guest: GuestSettings) {
    self.init(
      guest.name, isEnabled: guest.enabled, isAdmittedByItself: guest.admission == .auto,
      takesPicture: guest.takesPicture, takesSound: guest.takesSound, fit: guest.fit,
      line: (guest.url?.whole ?? guest.key).reveal().fingerprint)
  }
}

extension String {
  /// A number that is very likely another one for another text, and the same after a restart of the program (FNV-1a).
  fileprivate var fingerprint: Int {
    let hash = utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
    }
    return Int(bitPattern: UInt(hash))
  }
}

extension FreePane {
  fileprivate init(_ pane: LayoutPane) {
    let source: Source =
      switch pane.source {
      case .host: .host
      case .guest(let name): .guest(name)
      case .number(let number): .number(number)
      }
    self.init(
      source, PaneArea(x: pane.x, y: pane.y, width: pane.width, height: pane.height), z: pane.z,
      fit: pane.fit)
  }
}

extension GuestRequest {
  /// The request to read a guest; `nil` for one who is switched off, or who cannot send because there is no place for it.
  /// - Parameter listen: where guests send; `nil` if they cannot.
  init?(_ guest: GuestSettings, at listen: ListenAddress?) {
    guard guest.enabled else { return nil }
    guard let url = guest.url else {
      guard let listen, guest.key.isSet else { return nil }
      let place = GuestSender.Place(host: listen.host, port: UInt16(listen.port))
      self.init(
        name: guest.name,
        sender: GuestSender(key: guest.key.reveal(), at: place, srtPort: guest.srtPort),
        delayNanos: .milliseconds(Int64(guest.delayMs)))
      return
    }
    self.init(
      name: guest.name, address: url.whole.reveal(), allowsOwn: guest.allowsOwnBox,
      delayNanos: .milliseconds(Int64(guest.delayMs)))
  }
}

extension GuestSettings {
  /// What viewers read of the guest.
  var shownName: String { label.isEmpty ? name : label }
}

extension ArrivingTracks {
  /// - Parameter stalledSince: when the last frame came; `nil` while frames come.
  init(_ tracks: Capture.GuestTracks, stalledSince: MediaTime?) {
    self.init(
      picture: tracks.video == nil
        ? .none : stalledSince.map { .stalled(since: $0) } ?? .arriving,
      sound: tracks.audio == nil ? .none : .arriving,
      isPortrait: tracks.video.map { $0.size.height > $0.size.width } ?? false)
  }
}

extension GuestFault {
  /// The fault as a code for programs.
  var code: String {
    switch self {
    case .wrongAddress: "wrong_address"
    case .nameNotFound: "name_not_found"
    case .noConnection: "no_connection"
    case .timedOut: "timed_out"
    case .unauthorized: "unauthorized"
    case .nothingThere: "nothing_there"
    case .badCertificate: "bad_certificate"
    case .unsupported: "unsupported"
    case .badData: "bad_data"
    case .lost: "lost"
    case .noReader: "no_reader"
    case .readerFailed: "reader_failed"
    case .replaced: "replaced"
    case .notListening: "not_listening"
    }
  }
}
