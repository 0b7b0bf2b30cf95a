// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Logging
internal import Media
internal import Publish
internal import RateControl
internal import Settings
internal import Studio
internal import Synchronization

/// Connects the director to the broadcast: commands from any thread take effect here, and twenty times a second the
/// director gets the present conditions.
final class Station: Sendable {
  /// Why a command is refused.
  enum Fault: Error {
    case refused(Refusal)
    /// `publish.url` or the stream key is missing or invalid, with the reason.
    case noDestination(String)
    /// The settings cannot be read, or have mistakes, with a description.
    case unfitSettings(String)

    var code: String {
      switch self {
      case .refused(let refusal): refusal.rawValue
      case .noDestination: "no_destination"
      case .unfitSettings: "unfit_settings"
      }
    }

    var sentence: String {
      switch self {
      case .refused(let refusal): refusal.sentence
      case .noDestination(let sentence), .unfitSettings(let sentence): sentence
      }
    }
  }

  struct State {
    var target: Result<RTMPTarget, Fault>
    var backup: RTMPTarget?
    var director: Director
    var broadcast: Broadcast?
    /// The limits of the video bit rate.
    var limits: BitrateController.Limits
    var expiry: Expiry
    /// Off air only because there was no server at the start, and no command has come since.
    var isStandIn: Bool
    /// When the broadcast was last supervised.
    var supervisedAt: MediaTime
    /// Part of an earlier broadcast hangs.
    var hasLeftBehind = false

    var hasNoServer: Bool { (try? target.get()) == nil }
  }

  let settings: Settings
  /// Reads the settings again.
  let reload: @Sendable () throws(ConfigurationError) -> Configuration
  let store: IntentStore
  let events: EventLog
  let clock: MediaClock
  let state: Mutex<State>
  private let startedAt: MediaTime
  /// Held while a command is done and reported, so that reports have the order of the commands.
  let reporting = Mutex(())
  /// Held while settings are read again; the settings that `reload` took over last.
  let taken: Mutex<Configuration>
  /// The settings at the start.
  let started: Configuration
  /// How old the supervisor's last look may be before the lamp shows a fault.
  private static let staleNanos = Int64.seconds(3)

  init(
    configuration: Configuration,
    reload: @escaping @Sendable () throws(ConfigurationError) -> Configuration, store: IntentStore,
    events: EventLog
  ) {
    settings = configuration.settings
    started = configuration
    taken = Mutex(configuration)
    self.reload = reload
    self.store = store
    self.events = events
    clock = events.clock
    startedAt = events.clock.now
    let target = Station.target(configuration.destination, configuration)
    var intent = Station.intent(settings.publish.autostart, saved: store.found)
    var isStandIn = false
    if case .failure(let fault) = target, intent.broadcast != .off {
      // Not saved: once the settings are right, the next start goes on with the saved intent.
      events.note(.error, "Off air: \(fault.sentence)", code: fault.code)
      intent = Intent()
      isStandIn = true
    } else if intent != store.found {
      store.save(intent)
    }
    state = Mutex(
      State(
        target: target,
        backup: try? Station.target(configuration.backup, configuration).get(),
        director: Director(
          intent: intent, conditions: Conditions(),
          keepsAudio: configuration.settings.pause.sound == .keep),
        limits: BitrateController.Limits(configuration.settings), expiry: Expiry(configuration),
        isStandIn: isStandIn, supervisedAt: startedAt))
  }

  /// The intent at the start. A paused broadcast is still paused.
  static func intent(_ autostart: Autostart, saved: Intent) -> Intent {
    switch autostart {
    case .resume: saved
    case .always: saved.broadcast == .off ? Intent(broadcast: .live) : saved
    case .never: Intent()
    }
  }

  static func target(
    _ address: RTMPAddress?, _ configuration: Configuration
  ) -> Result<RTMPTarget, Fault> {
    guard let address else {
      return .failure(
        .noDestination(
          "publish.url or the stream key is not set: set both, as the platform's page gives them."))
    }
    do {
      return .success(
        try RTMPTarget(address, caFile: configuration.settings.publish.caFile))
    } catch {
      return .failure(
        .noDestination("publish.url and publish.key cannot be used: the \(error) is too long."))
    }
  }

  /// The time for the director, which counts from the start.
  var now: Duration { .nanoseconds(clock.now - startedAt) }

  // MARK: State

  /// Off, live or paused, and muted.
  var intent: Intent { state.withLock { $0.director.intent } }

  /// The pattern that the lamp should show.
  var lamp: LampPattern { state.withLock { lamp($0) } }

  /// Whether the intent is on the disk, or could not be written.
  var isSettled: Bool { state.withLock { store.isSettled($0.director.intent) } }

  /// Waits until the intent is on the disk, or could not be written.
  func settle(by deadline: MediaTime) {
    while !isSettled, clock.now < deadline { clock.sleep(until: clock.now + .milliseconds(5)) }
  }

  var status: Status { state.withLock { status($0) } }

  func status(_ state: State) -> Status {
    let now = clock.now
    let wallClock = events.wallClock.milliseconds
    return Status(
      director: state.director, lamp: lamp(state), broadcast: state.broadcast, settings: settings,
      troubles: troubles(state).map { Trouble($0, now: now, wallClock: wallClock) }, now: now)
  }

  /// The current troubles. Those that prevent publishing come first.
  private func troubles(_ state: State) -> [TroubleList.Entry] {
    var list = TroubleList()
    if case .failure(let fault) = state.target {
      list.begin("destination", cause: fault.code, fault.sentence, now: startedAt)
    }
    let destinations = state.broadcast?.destinationTroubles.map(TroubleList.Entry.init) ?? []
    let conditions = state.director.conditions
    return list.entries + destinations
      + events.troubles.filter { trouble in
        // Events tell when these began. Whether they still last is known from the conditions.
        switch trouble.subject {
        case "encoder": conditions.encoderFailed
        case "link": conditions.link != .good
        case "overload": state.broadcast?.isOverloaded ?? false
        default: true
        }
      }
  }

  /// The lamp shows live, paused or off only after that state has been written to disk, and off only after the
  /// broadcast has ended. Troubles show at once.
  private func lamp(_ state: State) -> LampPattern {
    let pattern = state.director.plan.lamp
    switch pattern {
    case .live, .paused, .offAir:
      if clock.now - state.supervisedAt > Station.staleNanos { return .fault }
      if pattern == .offAir, state.broadcast != nil { return .unconfirmed }
      if store.isSaved(state.director.intent) { return pattern }
      if state.hasNoServer { return .fault }
      return store.isSettled(state.director.intent) ? .fault : .unconfirmed
    case .starting, .unconfirmed, .weak, .reconnecting, .noCamera, .fault: return pattern
    }
  }

  /// Whether the media threads run.
  func isAlive(_ now: MediaTime) -> Bool { state.withLock { $0.broadcast }?.isAlive(now) ?? true }

  /// A line with the broadcast's counters; `nil` off air.
  func counters(_ now: MediaTime) -> String? { state.withLock { $0.broadcast }?.report(now) }

  // MARK: Supervision

  /// Gives the director the present conditions and does what it decides. Called twenty times a second by the thread
  /// that owns the broadcast: starting and ending one takes time.
  func supervise(_ now: MediaTime) -> Appliance.Ending? {
    let (wanted, broadcast, target, backup) = state.withLock {
      ($0.director.intent.broadcast != .off, $0.broadcast, $0.target, $0.backup)
    }
    if wanted, broadcast == nil, let target = try? target.get() {
      begin(target, backup)
    } else if !wanted, let broadcast {
      end(broadcast)
    }
    let (ending, expiry, setting) = state.withLock { state in
      state.supervisedAt = now
      let conditions = state.broadcast?.conditions(now) ?? Conditions()
      state.director.update(conditions, at: .nanoseconds(now - startedAt))
      state.broadcast?.present(state.director.plan)
      let expiry =
        state.broadcast == nil ? nil : state.expiry.look(wallClock: events.wallClock.seconds)
      return (state.broadcast?.ending, expiry, state.expiry.setting)
    }
    if let (code, sentence) = expiry {
      events.report(code, level: .warning, subject: setting, sentence)
    }
    broadcast?.supervise(now)
    return ending.map(Appliance.Ending.init)
  }

  private func begin(_ target: RTMPTarget, _ backup: RTMPTarget?) {
    events.report(.started, level: nil, "The broadcast begins.")
    let reports = StudioEvents(settings, events: events)
    let broadcast = Broadcast(
      settings: settings, target: target, backup: backup, encoder: "OnAir \(Version.current)",
      clock: clock
    ) { reports.take($0) }
    state.withLock { state in
      state.expiry.beginAgain()
      broadcast.follow(state.limits)
      // Before any thread starts: a paused broadcast begins with the still.
      broadcast.present(state.director.plan)
      state.broadcast = broadcast
      // The settings may have been read again since `target` was.
      if let now = try? state.target.get(), now != target || state.backup != backup {
        broadcast.publish(to: now, backup: state.backup)
      }
    }
    broadcast.start()
  }

  private func end(_ broadcast: Broadcast) {
    let ended = end(broadcast, goodbye: true, by: clock.now + Appliance.stopPatience)
    if !ended {
      events.note(.warning, "Part of the broadcast did not end in time and was left behind.")
    }
    state.withLock { state in
      state.broadcast = nil
      state.hasLeftBehind = state.hasLeftBehind || !ended
    }
  }

  private func end(_ broadcast: Broadcast, goodbye: Bool, by deadline: MediaTime) -> Bool {
    let ended = broadcast.stop(goodbye: goodbye, by: deadline)
    let now = clock.now
    let totals = Event.Totals(broadcast.totals(now))
    events.note(.info, broadcast.report(now))
    events.report(
      .ended, totals: totals,
      totals.sentence(broadcast.destinationCounters.map(\.counters)))
    return ended
  }

  /// Ends the broadcast without a change of the intent.
  /// - Returns: `false` when something had not ended by `deadline`.
  func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    let (broadcast, hasLeftBehind) = state.withLock { ($0.broadcast, $0.hasLeftBehind) }
    let ended = broadcast.map { end($0, goodbye: goodbye, by: deadline) } ?? true
    return ended && !hasLeftBehind
  }
}

extension Appliance.Ending {
  fileprivate init(_ ending: BroadcastEnding) {
    switch ending {
    case .sourceEnded: self = .asked
    case .sourceUnavailable: self = .unavailable
    case .encoderBroken: self = .failed
    }
  }
}

extension Event.Totals {
  fileprivate init(_ totals: BroadcastTotals) {
    self.init(
      seconds: totals.seconds, bytes: totals.bytes, frames: totals.frames,
      interruptions: totals.interruptions)
  }

  /// How the broadcast was for viewers.
  fileprivate func sentence(_ servers: [DestinationCounters]) -> String {
    Event.Totals.sentence(
      seconds: seconds, wasTaken: bytes > 0,
      reconnects: servers.reduce(0) { $0 + Int($1.reconnects) },
      overflows: servers.reduce(0) { $0 + Int($1.overflows) },
      dropped: servers.reduce(0) { $0 + Int($1.dropped) })
  }

  /// - Parameters:
  ///   - wasTaken: a server has taken the stream.
  ///   - reconnects: connections made after the first.
  ///   - overflows: times that a queue was given up since the link was too slow.
  ///   - dropped: frames and audio packets that were dropped since the link was too slow.
  static func sentence(
    seconds: Int, wasTaken: Bool, reconnects: Int, overflows: Int, dropped: Int
  ) -> String {
    let ended = "The broadcast has ended after \(Phrase.duration(seconds)). "
    guard wasTaken else { return ended + "No server took the stream, so nobody has seen it." }
    guard reconnects + overflows + dropped > 0 else { return ended + "Viewers missed nothing." }
    var reasons: [String] = []
    if reconnects > 0 {
      reasons.append("the connection was made anew \(Phrase.count(reconnects, "time"))")
    }
    if overflows > 0 {
      reasons.append("the network was too slow \(Phrase.count(overflows, "time"))")
    }
    if dropped > 0 {
      reasons.append(
        "\(Phrase.count(dropped, "frame or audio packet was", plural: "frames or audio packets were")) dropped"
      )
    }
    return ended + "Viewers missed something: \(reasons.joined(separator: ", "))."
  }
}

extension Expiry {
  init(_ configuration: Configuration) {
    self.init(
      expiresAt: configuration.destination?.expiresAt,
      backupExpiresAt: configuration.backup?.expiresAt)
  }
}
