// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[guests]`: what holds for all guests.
public struct AllGuestsSettings: Sendable, Equatable {
  /// Whether the layout follows who is on air.
  public let followsGuests: Bool
  /// The layout with guests: one of `LayoutSettings.presets`, or the name of a `[[layout]]`.
  public let layout: String
  /// How one layout follows another.
  public let transition: LayoutTransition
  /// The address and port at which guests send; `nil` if nobody can.
  public let listen: ListenAddress?
  /// Seconds for which a guest whose line is lost keeps his pane.
  public let lostSeconds: Int
  /// The most guests on air at a time.
  public let most: Int
  /// The colour where no pane is.
  public let background: RGBA
  /// The path of an image that covers the background of a layout; empty for none.
  public let backgroundImage: String

  init(_ form: inout Form) {
    followsGuests = form.value(
      "guests.auto", .flag, default: true,
      help: """
        Whether the layout follows who is on air: guests.layout with the first guest, the camera alone after the last \
        one. It lets nobody in. Otherwise only a person changes the layout.
        """)
    layout = form.value(
      "guests.layout", .layoutName, default: "side_by_side",
      help: """
        What viewers see while guests are on air: "side_by_side" has the camera left and the guest right, "pip" the guest \
        small in the lower right corner ("pip_top_left" and so on in another), "grid" all of them in rows, "guest" the \
        guest alone, "single" the camera alone. Or the name of a [[layout]].
        """)
    transition = form.value(
      "guests.transition", .choice(), default: .cut,
      help: """
        How one layout follows another: "cut" from one frame to the next, "fade" within 200 milliseconds. A guest who \
        leaves is gone at once in any case.
        """)
    listen = form.value(
      "guests.listen", .listenAddress, default: nil,
      help: """
        The address and port at which guests send to the box by RTMP, each with the key of his [[guest]]: a guest then \
        sends to rtmp://ADDRESS-OF-THE-BOX/live. 0.0.0.0:1935 is for everybody on the network. If it is empty, nobody \
        can send, neither by RTMP nor by SRT.
        """)
    lostSeconds = form.value(
      "guests.lost_seconds", .wholeNumber(1...300), default: 10, unit: "seconds",
      help: """
        How long a guest whose line is lost keeps his pane: with his last picture, after 2 seconds with his name. One who \
        leaves by himself is gone at once.
        """)
    most = form.value(
      "guests.most", .wholeNumber(1...8), default: 3, unit: "guests",
      help: """
        How many guests can be on air at a time. Each takes processor time.
        """)
    background = form.value(
      "guests.background", .opaqueColour, default: .black,
      help: """
        The colour between and beside the pictures of a layout: "#rrggbb".
        """)
    backgroundImage = form.value(
      "guests.background_image", .path(.media), default: "",
      help: """
        An image behind the pictures of a layout: a PNG or JPEG file that fills the whole picture. If it is empty, or \
        cannot be read, guests.background is seen.
        """)
  }

  /// Reports a layout that is neither a preset nor in the settings.
  func check(_ form: inout Form, layouts: [LayoutSettings]) {
    guard !LayoutSettings.presets.contains(layout), !layouts.contains(where: { $0.name == layout }),
      !form.isDoubtful("guests.layout")
    else { return }
    form.reportConflict(
      "guests.layout", "names no layout: it must be \(LayoutSettings.allowedNames)",
      at: form.place(of: "guests.layout"), code: .noSuchLayout)
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is the name of a layout. `AllGuestsSettings.check` looks whether there is one.
  fileprivate static var layoutName: Kind {
    .text(
      LayoutSettings.allowedNames, choices: LayoutSettings.presets,
      read: { NamedList.isPlain($0) ? $0 : nil }, show: { $0 })
  }
}
