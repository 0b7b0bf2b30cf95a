// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Publish

/// A current problem, as the API's status lists it. The names of the fields are part of the API and must not change.
public struct Trouble: Codable, Sendable, Equatable {
  /// The thing that has the problem: "video", "audio", "track.NAME", "track.NAME.source", a server's host and port,
  /// "relay NAME", "destination", "encoder", "link", "overload", "processor", "supervision", "state directory", "disk",
  /// "settings file", "kept settings", "card", "page", "control socket", "network", "heat", "power", "music", "record", "record room", "stick", a
  /// setting, or a part of the panel.
  public var subject: String
  /// The cause as a code for programs, such as "missing" or "connection_refused".
  public var cause: String
  /// A sentence for the user: what is wrong, and what to do.
  public var sentence: String
  /// When the problem began: UTC in ISO 8601.
  public var since: String
  /// For how many seconds the problem has lasted.
  public var sinceSeconds: Int
  /// Seconds until the next attempt to reach the server; `nil` if that is not known, or no attempt is due.
  public var retryInSeconds: Int?
  /// `true` if the server has accepted the stream before in this broadcast, with this address and key; otherwise `nil`.
  public var hasWorked: Bool?
}

/// The list of current problems, at most one per subject. Reads no clock and does no I/O: the time is passed in.
package struct TroubleList {
  /// A current problem.
  package struct Entry: Equatable {
    /// The thing that has the problem, as in `Trouble.subject`.
    package var subject: String
    /// The cause as a code for programs.
    package var cause: String
    /// A sentence for the user: what is wrong, and what to do.
    package var sentence: String
    /// When the problem began.
    var since: MediaTime
    /// When the next attempt to reach the server is due; `nil` if that is not known, or no attempt is due.
    package var retryAt: MediaTime?
    /// Whether the server has accepted the stream before in this broadcast, with this address and key.
    var hasWorked = false
  }

  /// The current problems, the oldest first.
  package private(set) var entries: [Entry] = []

  package init() {}

  /// Adds a trouble. If the subject already has one, its cause and sentence are replaced, and its start stays.
  package mutating func begin(_ subject: String, cause: String, _ sentence: String, now: MediaTime)
  {
    if let index = entries.firstIndex(where: { $0.subject == subject }) {
      entries[index].cause = cause
      entries[index].sentence = sentence
    } else {
      entries.append(Entry(subject: subject, cause: cause, sentence: sentence, since: now))
    }
  }

  /// Removes the trouble of this subject, if there is one.
  mutating func end(_ subject: String) { entries.removeAll { $0.subject == subject } }

  /// Removes the troubles that end with the broadcast: a slow link, and an address that expires. The troubles of
  /// devices, encoders and stills stay until the studio closes these: the studio may be open before a broadcast begins,
  /// and does not report a trouble a second time.
  mutating func endBroadcast() {
    entries.removeAll {
      $0.subject == "link" || $0.cause == Event.Code.urlExpiring.rawValue
        || $0.cause == Event.Code.urlExpired.rawValue
    }
  }

  /// Removes the troubles of the studio's video or audio after it was closed.
  /// - Parameter half: "video" or "audio".
  mutating func endStudio(_ half: String) {
    entries.removeAll {
      $0.subject == half || $0.subject == "\(half).source"
        || half == "audio" && $0.subject.hasPrefix("track.")
        || half == "video"
          && [Event.Code.stillUnusable, .overlayUnusable, .filterOff].map(\.rawValue).contains(
            $0.cause)
    }
  }

  /// Updates the list after an event: adds the trouble that the event begins, or removes the one that the event ends.
  mutating func update(_ event: Event, now: MediaTime) {
    switch event.code {
    case .deviceLost, .deviceBusy, .deviceForbidden, .buttonStuck, .stillUnusable,
      .overlayUnusable, .filterOff:
      // Ignore events about the panel as a whole: each part of the panel has an entry of its own.
      guard let subject = event.subject, subject != "panel" else { return }
      begin(subject, event, now)
      // A stall changes nothing about the file that plays.
      if event.cause != OpenSources.stalledCause { end("\(subject).source") }
    // An outdated file has an entry of its own, since its source still works.
    case .fileOutdated: event.subject.map { begin("\($0).source", event, now) }
    case .fileCurrent: event.subject.map { end("\($0).source") }
    case .deviceBack, .buttonReleased: event.subject.map { end($0) }
    // If the subject is a server, nothing is added here: the trouble of a server is in `Destination.trouble`.
    case .networkPoor where event.subject == nil: begin("link", event, now)
    case .networkRecovered where event.subject == nil: end("link")
    case .encoderFailed where event.subject == nil: begin("encoder", event, now)
    case .frameBudgetMissed: begin("overload", event, now)
    case .frameBudgetMet: end("overload")
    case .pictureReduced: begin("processor", event, now)
    case .pictureRestored: end("processor")
    case .urlExpiring, .urlExpired: begin(event.subject ?? "publish.url", event, now)
    case .stateNotSaved: begin("state directory", event, now)
    case .diskFull: begin("disk", event, now)
    case .diskFreed: end("disk")
    case .settingsUnfit: begin(event.subject ?? "settings file", event, now)
    case .settingsFit: end(event.subject ?? "settings file")
    case .pageUnavailable: begin("page", event, now)
    case .pageBack: end("page")
    case .playoutUnavailable: begin("playout", event, now)
    case .playoutBack: end("playout")
    case .networkDown: begin("network", event, now)
    case .networkUp: end("network")
    case .tooHot: begin("heat", event, now)
    case .heatGone: end("heat")
    case .powerWeak: begin("power", event, now)
    case .powerGood: end("power")
    case .recordFailed: begin(event.subject ?? "record", event, now)
    case .recordBack: end("record")
    case .recordRoomLow: begin("record room", event, now)
    case .recordRoomBack: end("record room")
    case .stickUnusable, .stickSlow: begin("stick", event, now)
    case .stickReady, .stickRemovable, .stickGone: end("stick")
    case .started: endBroadcast()
    case .ended:
      endBroadcast()
      // Nothing is encoded for a server any more, so the machine is not too slow any more.
      for subject in ["overload", "processor"] { end(subject) }
    default: break
    }
  }

  /// Adds the trouble that an event reports.
  private mutating func begin(_ subject: String, _ event: Event, _ now: MediaTime) {
    begin(subject, cause: event.cause ?? event.code.rawValue, event.sentence, now: now)
  }
}

extension TroubleList.Entry {
  /// Makes the entry for a trouble of a destination.
  /// - Parameter relay: the name of the relay; `nil` for the main destination.
  package init(_ trouble: DestinationTrouble, relay: String? = nil) {
    self.init(
      subject: relay.map { "relay \($0)" } ?? "\(trouble.target)", cause: trouble.cause.code,
      sentence: trouble.sentence(relay.map { .relay($0) } ?? .main),
      since: trouble.since, retryAt: trouble.retryAt, hasWorked: trouble.hasWorked)
  }
}

extension Trouble {
  /// Converts an entry to the form in which the API's status lists it.
  /// - Parameter wallClock: the time of day at `now`, in milliseconds since 1970.
  package init(_ entry: TroubleList.Entry, now: MediaTime, wallClock: Int64) {
    let age = max(0, now - entry.since) / 1_000_000
    self.init(
      subject: entry.subject, cause: entry.cause, sentence: entry.sentence,
      since: WallClock.text(wallClock - age), sinceSeconds: Int(age / 1_000),
      retryInSeconds: entry.retryAt.map { Int(max(0, $0 - now) + 999_999_999) / 1_000_000_000 },
      hasWorked: entry.hasWorked ? true : nil)
  }

  /// The problem as a line for people, as `onair status` prints it.
  package var words: String {
    let retry = retryInSeconds.map { " Next try in \($0) s." } ?? ""
    // A sentence about a setting begins with the name of that setting: do not repeat it.
    let name = "\(subject): "
    let rest = sentence.hasPrefix(name) ? sentence.dropFirst(name.count) : sentence[...]
    return "\(subject), for \(Phrase.duration(sinceSeconds)): \(rest)\(retry)"
  }
}
