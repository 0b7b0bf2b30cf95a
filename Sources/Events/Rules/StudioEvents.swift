// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Logging
internal import Publish
internal import RateControl
package import Settings
package import Studio
internal import Synchronization

/// Turns the reports of the studio and of the broadcast into events, log lines and troubles.
package final class StudioEvents: SettingsFollower {
  /// Receives the events, log lines and troubles.
  private let events: EventLog
  /// The current settings, which sentences quote.
  private let settings: Mutex<Settings>
  /// For each source and for the headphones, the object that turns its reports into events; keyed by the subject of
  /// the events, which is an input of the studio, "track.NAME.source" or `monitor`.
  private let sources = Mutex<[String: SourceEvents]>([:])
  /// The subject of events about the headphones at the box.
  private static let monitor = "monitor"
  /// The object that turns the reports of the main destination into events, with the key `BroadcastTarget.main`. Empty
  /// before the first report of a broadcast.
  private let destinations = Mutex<[String: DestinationEvents]>([:])
  /// For each relay, by its name, the object that turns the relay's reports into events.
  private let relays = Mutex<[String: RelayEvents]>([:])
  package init(_ settings: Settings, events: EventLog) {
    self.events = events
    self.settings = Mutex(settings)
  }

  /// Stores changed settings, which later sentences quote.
  package func change(_ settings: Settings) { self.settings.withLock { $0 = settings } }

  /// Forgets what destinations have reported, because another broadcast begins.
  package func beginBroadcast() {
    destinations.withLock { $0 = [:] }
    relays.withLock { $0 = [:] }
  }

  /// Turns a report of the studio or of the broadcast into events, log lines and troubles.
  package func handle(_ report: StudioReport) {
    switch report {
    case .opening(let input):
      sources.withLock { $0[input.rawValue] = nil }
      events.endTrouble(input.rawValue)
    case .closed(let input):
      events.endTroublesOfStudio(input.rawValue)
      if input == .audio {
        forgetMonitor()
        sources.withLock { $0 = $0.filter { !$0.key.hasPrefix("track.") } }
      }
    case .track(let name, let report):
      handle(report, subject: "track.\(name).source", prefix: "Sound of \(name): ")
    case .trackClosed(let name):
      sources.withLock { $0["track.\(name).source"] = nil }
      events.endTrouble("track.\(name).source")
    case .monitor(let report):
      handle(report, subject: StudioEvents.monitor, prefix: "Headphones: ")
    case .monitorClosed: forgetMonitor()
    case .cameraReleased:
      sources.withLock { $0[StudioReport.Input.video.rawValue] = nil }
      events.endTrouble(StudioReport.Input.video.rawValue)
      events.note(
        .notice, "Picture: The camera is closed until the pause ends (pause.release_camera).")
    case .source(let input, let report):
      handle(report, subject: input.rawValue, prefix: input.prefix)
    case .music(let report): events.handle(report)
    case .videoUnreadable:
      events.report(
        .deviceLost, level: .warning, subject: "video", cause: "unreadable",
        prefix: StudioReport.Input.video.prefix,
        "The camera delivers data that cannot be decoded. Unplug it and plug it in again, or try another "
          + "video.camera_format.")
    case .videoReadable:
      events.report(
        .deviceBack, level: .notice, subject: "video", prefix: StudioReport.Input.video.prefix,
        "The camera delivers a good picture again.")
    case .stillUnusable(let setting, let sentence):
      events.report(.stillUnusable, level: .warning, subject: setting, sentence)
    case .overlayUnusable(let setting, let sentence):
      events.report(.overlayUnusable, level: .warning, subject: setting, sentence)
    case .filterOff(let name, let sentence):
      events.report(.filterOff, level: .warning, subject: "filter.\(name)", sentence)
    case .filterOn(let name):
      events.endTrouble("filter.\(name)")
      events.note(.notice, "The trouble with filter.\(name) is over.")
    case .filterUnconfined(let sentence), .senderRefused(let sentence):
      events.note(.warning, sentence)
    case .stillUsable(let setting), .overlayUsable(let setting):
      events.endTrouble(setting)
      events.note(.notice, "The trouble with \(setting) is over.")
    case .encoderBroken(let sentence): events.report(.encoderFailed, level: .error, sentence)
    case .encoderRefused(let sentence):
      events.report(.encoderFailed, level: .warning, subject: "video", sentence)
    case .encoderFailing:
      events.report(
        .encoderFailed, level: .warning,
        "Picture or sound cannot be encoded. OnAir keeps trying. If this lasts, the machine has too little "
          + "memory: end other programs, or choose a smaller video.size.")
    case .encoderWorks:
      events.endTrouble("encoder")
      events.note(.notice, "Picture and sound are encoded again.")
    case .encoderClosed: events.endTrouble("encoder")
    case .overloaded(let loss):
      let video = settings.withLock { $0.video }
      events.report(
        .frameBudgetMissed, level: .warning, cause: loss.cause, loss.sentence(video)
      ) {
        ($0.size, $0.fps) = ("\(video.size)", Double(video.fps))
        ($0.dropped, $0.seconds) = (loss.dropped, loss.seconds)
      }
    case .overloadOver:
      events.report(.frameBudgetMet, level: .notice, "This machine is fast enough again.")
    case .overloadClosed: events.endTrouble("overload")
    case .pictureReduced(let plan):
      let video = settings.withLock { $0.video }
      let (size, fps) = ("\(plan.size ?? video.size)", plan.rate(of: video.fps))
      events.report(
        .pictureReduced, level: .warning, subject: "video", cause: "too_slow",
        "This machine cannot encode \(video.size) at \(video.fps) frames a second in time: it sends at most "
          + "\(size) at \(fps). Choose a smaller video.size or a lower video.fps."
      ) { ($0.size, $0.fps) = (size, Double(fps)) }
    case .pictureRestored:
      events.report(
        .pictureRestored, level: .notice, subject: "video",
        "This machine no longer reduces the picture.")
    case .destination(let name, let report): handle(report, of: name)
    // The waiting room turns these into events: a guest who comes and goes is no trouble.
    case .guest: break
    case .linkDegraded(let report): handle(report)
    case .linkRecovered:
      events.report(.networkRecovered, "The link carries the whole picture again.")
    }
  }

  /// Forgets the reports of headphones that the settings do not name any more.
  private func forgetMonitor() {
    sources.withLock { $0[StudioEvents.monitor] = nil }
    events.endTrouble(StudioEvents.monitor)
  }

  /// Turns a report of a source or of the headphones into an event or a log line.
  private func handle(_ report: SourceReport, subject: String, prefix: String) {
    let level: Logger.Level =
      report.state == .trouble || report.state == .outdated ? .warning : .notice
    let code = sources.withLock { $0[subject, default: SourceEvents()].handle(report) }
    guard let code else { return events.note(level, "\(prefix)\(report.sentence)") }
    events.report(
      code, level: level, subject: subject,
      cause: report.state == .running ? nil : report.code,
      prefix: prefix, report.sentence)
  }

  /// Turns a report of a relay into an event or a log line.
  private func handle(_ report: DestinationReport, ofRelay name: String) {
    let line = report.line(.relay(name))
    let code = relays.withLock { $0[name, default: RelayEvents()].handle(report) }
    guard let code else {
      return events.note(
        report.cause != nil ? .warning : .notice, "Relay \(name): \(line)", code: report.cause?.code
      )
    }
    events.report(
      code, level: report.cause != nil ? .warning : .notice, subject: name, destination: name,
      cause: report.cause?.code, prefix: "Relay \(name): ", line
    ) { $0.hasWorked = report.cause != nil && report.hasWorked ? true : nil }
  }

  /// Turns a report of the destination `name`, the main one or a relay, into events and a log line.
  private func handle(_ report: DestinationReport, of name: String) {
    guard name == BroadcastTarget.main else { return handle(report, ofRelay: name) }
    events.note(
      report.cause != nil ? .warning : .notice, report.line(), code: report.cause?.code)
    let server = report.target
    // The rate controller reports a slow link, but only for the main destination.
    let isFollowed =
      settings.withLock { $0.video.source != .none && $0.network.mode != .fixed }
    let outcomes = destinations.withLock {
      $0[name, default: DestinationEvents()].handle(report, isLinkFollowed: isFollowed)
    }
    for event in outcomes {
      events.report(
        event.code, level: nil, subject: "\(server)", destination: name, cause: event.cause,
        elapsedMs: event.elapsedNanos.map { Int($0 / 1_000_000) },
        event.sentence(of: server.host) ?? report.line()
      ) { $0.hasWorked = event.cause != nil && report.hasWorked ? true : nil }
    }
  }

  /// Reports that the link is too slow. The report names the reason that is likely from what this machine can measure.
  private func handle(_ report: LinkReport) {
    let local = LocalNetwork()
    let evidence = LinkEvidence(
      hasRoute: local.interface != nil && local.hasCarrier, signalDBm: local.signalDBm,
      receiverLimitedShare: report.receiverLimitedShare)
    let weakness = LinkWeakness(evidence)
    let sentence =
      report.plan.link == .poor
      ? "The network is too slow for moving pictures: viewers see slate.network_image and hear the sound. "
      : "The network is weak: the picture gets \(report.plan.videoKbps) of \(report.targetKbps) kbit/s. "
    events.report(
      .networkPoor, level: .warning, cause: "link_\(weakness.rawValue)",
      sentence + weakness.sentence(evidence, host: report.host)
    ) {
      guard report.plan.link != .poor else { return }
      ($0.videoKbps, $0.targetKbps) = (report.plan.videoKbps, report.targetKbps)
    }
  }
}

extension StudioReport.Input {
  /// The beginning of log lines about this input.
  package var prefix: String { self == .video ? "Picture: " : "Sound: " }
}
