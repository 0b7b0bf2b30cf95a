// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Who lets a guest into the broadcast (`guest.NAME.admit`).
public enum GuestAdmission: String, Sendable, CaseIterable {
  /// A person does, each time.
  case hand
  /// The guest is in as soon as he is there.
  case auto
}

/// `[[guest]]`: somebody else's picture and sound in the broadcast. Either OnAir fetches them from `url`, or the guest
/// sends them with `key`. Outside of the settings file, the keys of his settings are "guest.NAME.url" and so on.
public struct GuestSettings: Sendable, Equatable, NamedSection {
  public static let list = NamedList(
    "guest", of: GuestSettings.self, maxEntries: 8,
    // What layouts and relays call the box's own picture, and tracks besides the guests'.
    reserved: ["main", "music", "host", "camera", "programme"],
    essential: "url", alternative: "key",
    operable: ["enabled", "picture", "sound", "volume", "mute"],
    words: NamedList.Words(
      example: "\"rtsp://HOST/PATH\"",
      missing: "write the address that the guest is fetched from, or the key that he sends with",
      excess: "guests: remove one (onair set guest.NAME.removed=true)"),
    codes: NamedList.Codes(missing: .guestWayMissing, excess: .tooManyGuests))

  /// The guest's name: 1 to 32 letters, digits, "-" and "_".
  public let name: String
  /// The address that the guest is fetched from; `nil` if he sends.
  public let url: GuestAddress?
  /// Whether `url` may lead to the box itself: only if its own settings file or command line has named it.
  public let allowsOwnBox: Bool
  /// The key that the guest sends with; not set if he is fetched.
  public let key: Secret
  /// The UDP port at which he sends by SRT, with his key as the passphrase; `nil` if he sends by RTMP alone.
  public let srtPort: UInt16?
  public let admission: GuestAdmission
  /// Whether viewers see the guest's picture and hear his sound while he is on air.
  public let takesPicture, takesSound: Bool
  /// 0 to 100. 50 changes nothing, 100 doubles the level.
  public let volume: Double
  public let isMuted: Bool
  /// Delay of picture and sound in milliseconds, besides that of his line.
  public let delayMs: Int
  /// What viewers read of the guest; empty for his name.
  public let label: String
  public let enabled: Bool
  public let mirror: Bool
  /// What is cut off from his picture as it is shown.
  public let crop: Crop
  /// How his picture is placed in a pane of another shape.
  public let fit: Fit

  /// The fewest characters of a passphrase of SRT.
  private static let leastPassphrase = 10

  init(_ form: inout Form, _ entry: ListEntry) {
    name = entry.name
    url = form.value(
      entry.key("url"), .guestAddress, default: nil,
      help: """
        The address that the guest is fetched from: another OnAir, a server, an IP camera. It is tried every 2 seconds \
        while he is enabled. A user name and a password may stand in it: rtsp://USER:PASSWORD@HOST/PATH. Only the box's \
        own settings file can name an address of the box itself.
        """)
    key = form.value(
      entry.key("key"), .guestKey, default: Secret(), isSecret: true,
      help: """
        The key with which the guest sends to guests.listen, in place of url. Each guest needs a key of his own.
        """)
    let port = form.value(
      entry.key("srt_port"), .wholeNumber(0...65_535), default: 0,
      help: """
        The UDP port at which the guest sends by SRT, to srt://ADDRESS-OF-THE-BOX:PORT with his key as the passphrase. \
        Each guest needs a port of his own, and a key of at least 10 characters. With 0 he sends by RTMP.
        """)
    srtPort = port > 0 ? UInt16(port) : nil
    admission = form.value(
      entry.key("admit"), .choice(), default: .hand,
      help: """
        Who lets the guest into the broadcast: with "hand" he waits until a person does, with "auto" he is in as soon as \
        he is there.
        """)
    takesPicture = form.value(
      entry.key("picture"), .flag, default: true,
      help: """
        Whether viewers see the guest. If not, they see his label.
        """)
    takesSound = form.value(
      entry.key("sound"), .flag, default: true,
      help: """
        Whether his sound is taken. Without it he needs less of the processor than when he is muted.
        """)
    volume = form.value(
      entry.key("volume"), .number(0...100), default: 50,
      help: """
        How loud he is among the others, from 0 to 100. 50 leaves him as he is, 100 is twice the level.
        """)
    isMuted = form.value(
      entry.key("mute"), .flag, default: false,
      help: """
        Whether viewers do not hear him.
        """)
    delayMs = form.value(
      entry.key("delay_ms"), .wholeNumber(0...1_000), default: 0, unit: "milliseconds",
      help: """
        Delays his picture and his sound together, so that he is in step with another guest or with the camera.
        """)
    label = form.value(
      entry.key("label"), .shownName, default: "",
      help: """
        What viewers read of him, as on his name card. If it is empty, they read his name.
        """)
    enabled = form.value(
      entry.key("enabled"), .flag, default: true,
      help: """
        Whether he is fetched, or can send. If not, he leaves.
        """)
    mirror = form.value(
      entry.key("mirror"), .flag, default: false,
      help: """
        Swaps left and right in his picture, like a mirror.
        """)
    crop = form.value(
      entry.key("crop"), .crop, default: .none,
      help: """
        What is cut off from his picture as viewers see it: "LEFT TOP RIGHT BOTTOM" in percent of its width and height, \
        each from 0 to 45. "10 0 10 0" leaves the middle. Empty for nothing.
        """)
    fit = form.value(
      entry.key("fit"), .choice(), default: .fill,
      help: """
        How his picture is placed in a pane of another shape: "fill" cuts off what is too wide or too high, "fit" shows \
        all of it, "stretch" distorts.
        """)
    let urlOrigin = form.origin(of: entry.key("url"))
    allowsOwnBox = url != nil && urlOrigin != .runTime
    if let url, url.namesOwnBox, !allowsOwnBox {
      form.report(
        entry.key("url"),
        "is an address of the box itself, which only its own settings file can name",
        at: form.place(of: entry.key("url")), code: .boxOnly)
    }
    if url != nil, key.isSet {
      form.reportConflict(
        entry.key("key"),
        "is set, and so is url: a guest is either fetched (url) or sends (key); empty one of the two",
        at: form.place(of: entry.key("key")), code: .guestTwoWays, other: entry.key("url"))
    }
    if srtPort != nil, key.isSet, key.reveal().utf8.count < GuestSettings.leastPassphrase {
      form.reportConflict(
        entry.key("key"),
        "is too short for SRT: with srt_port it needs at least \(GuestSettings.leastPassphrase) characters",
        at: form.place(of: entry.key("key")), code: .guestKeyShort, other: entry.key("srt_port"))
    }
  }
}

extension [GuestSettings] {
  /// Reports each guest who has the key or the port of another one: nobody could tell which of the two sends.
  func reportShared(_ form: inout Form) {
    for (index, guest) in enumerated() where guest.srtPort != nil {
      guard let other = prefix(index).first(where: { $0.srtPort == guest.srtPort }) else {
        continue
      }
      let key = GuestSettings.list.entry(guest.name).key("srt_port")
      let section = GuestSettings.list.entry(other.name).section
      form.reportConflict(
        key, "is the port of \(section), too: each guest needs a port of his own",
        at: form.place(of: key), code: .guestPortTaken, other: section)
    }
    for (index, guest) in enumerated() where guest.key.isSet {
      guard let other = prefix(index).first(where: { $0.key == guest.key }) else { continue }
      let key = GuestSettings.list.entry(guest.name).key("key")
      let section = GuestSettings.list.entry(other.name).section
      form.reportConflict(
        key, "is the key of \(section), too: each guest needs a key of his own",
        at: form.place(of: key), code: .guestKeyTaken, other: section)
    }
  }
}

extension Crop {
  /// Four whole numbers of percent, as in the settings; empty for nothing.
  public var text: String {
    guard self != .none else { return "" }
    let percents = [left, top, right, bottom].map { Int(($0 * 100).rounded()) }
    return percents.map(String.init).joined(separator: " ")
  }

  /// Reads four whole numbers of percent. An empty text is nothing; `nil` for any other text.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    let shares = words.compactMap { UInt8($0) }.map { Double($0) / 100 }
      .filter { $0 <= Crop.most }
    guard !words.isEmpty else {
      self = .none
      return
    }
    guard words.count == 4, shares.count == 4 else { return nil }
    self.init(left: shares[0], top: shares[1], right: shares[2], bottom: shares[3])
  }
}

extension Kind where Value == Crop {
  /// The kind of a setting whose value says what is cut off at the edges of a picture.
  fileprivate static var crop: Kind {
    .text(
      "four whole numbers from 0 to 45, or empty",
      read: { text throws(ValueError) in Crop(text) }, show: { $0.text })
  }
}

extension Kind where Value == Secret {
  /// The kind of a setting whose value is the key of a guest, or empty. It stands in addresses and QR codes, so it has no
  /// character that would have to be escaped there.
  fileprivate static var guestKey: Kind {
    secret("8 to 64 letters, digits, \"-\" and \"_\", or empty") { text in
      (8...64).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
          default: false
          }
        }
    }
  }
}
