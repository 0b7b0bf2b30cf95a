// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc
public import Logging
internal import Media
internal import Page
internal import Panel
internal import Publish
public import Settings

/// The box at work: it holds its state directory, keeps the broadcast going and listens to signals,
/// until one of them ends it.
///
/// Its thread is the supervisor: it never waits for media, wakes twenty times a second, and sees to
/// deadlines, the watchdog and the report.
public final class Appliance {
  /// How a run ended, as an exit code of sysexits.h.
  public enum Ending: Int32, Sendable {
    /// By a person, or because the pipe that pictures came through was closed.
    case asked = 0
    /// What pictures should come from cannot be read, and no waiting mends that: EX_UNAVAILABLE.
    case unavailable = 69
    /// Something in the program failed that no waiting mends: EX_SOFTWARE.
    case failed = 70
  }

  /// Nanoseconds from one look to the next.
  private static let tick: Int64 = .milliseconds(50)
  /// From the signal to the end; 2 s are promised.
  static let stopPatience: Int64 = .milliseconds(1_500)
  /// Of that, for each thing that ends in a blink.
  private static let smallPatience: Int64 = .milliseconds(200)
  /// From one report in the log to the next.
  private static let reportInterval: Int64 = .seconds(60)

  private let configuration: Configuration
  private let reload: @Sendable () throws(ConfigurationError) -> Configuration
  private let stateDirectory: StateDirectory
  private let manager: ServiceManager
  private let log: Logger

  /// - Parameter reload: reads the settings again.
  public init(
    configuration: Configuration,
    reload: @escaping @Sendable () throws(ConfigurationError) -> Configuration,
    environment: [String: String], log: Logger
  ) throws(StateDirectoryError) {
    self.configuration = configuration
    self.reload = reload
    self.log = log
    manager = ServiceManager(environment: environment)
    stateDirectory = try StateDirectory(path: configuration.stateDirectory)
  }

  /// Makes the process ready for `run`: the signals that it waits for are blocked, in this thread and
  /// in those that it will start, and the standard descriptors are there. Called once, before there is
  /// any other thread.
  public static func prepareProcess() {
    // What is opened next would else take a closed one's number, and get the log or give the pictures.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDWR)
    }
    // Large blocks come from the kernel and go back to it, however many there have been: an encoder that is
    // replaced would else leave holes that the next one does not fit into.
    mallopt(M_MMAP_THRESHOLD, 128 * 1_024)
    // x264 asks for huge pages, of which its pictures fill the last ones in part: 6 of 80 MB at 1280x720, and no
    // time that can be measured.
    _ = onair_no_huge_pages()
    // librtmp writes to sockets without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    var signals = stopSignals
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private static var stopSignals: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    // Under nohup it is ignored, and is to stay so: a blocked signal is queued all the same.
    var hangup = sigaction()
    unsafe sigaction(SIGHUP, nil, &hangup)
    if unsafe hangup.__sigaction_handler.sa_handler == nil { unsafe sigaddset(&signals, SIGHUP) }
    return signals
  }

  /// Runs until a signal. SIGINT ends the broadcast with a good-bye to the server; SIGTERM and SIGHUP
  /// without one, so that the platform waits for it to come back.
  public func run() -> Ending {
    for warning in configuration.warnings { log.warning("\(warning)") }
    let events = EventLog(log: log, before: time(nil) * 1_000)
    let store = IntentStore(directory: stateDirectory.path) {
      events.report(.stateNotSaved, level: .warning, $0)
    }
    let station = Station(
      configuration: configuration, reload: reload, store: store, events: events)
    // The first look begins what is to be begun.
    let ended = station.supervise(.now())
    store.start()
    let panel = Panel(
      configuration.settings.panel, station: station, stateDirectory: stateDirectory.path)
    panel?.start()
    let control = ControlSocket(directory: stateDirectory.path, station: station)
    control?.start()
    let page = Page(configuration.settings.page, station: station)
    page?.start()
    if station.report(.now()) == nil { log.notice("Off air. `onair start` begins the broadcast.") }
    manager.notify("READY=1")

    let (ending, goodbye) = ended.map { ($0, true) } ?? supervise(station, panel)
    manager.notify("STOPPING=1")
    let deadline = MediaTime.now() + Appliance.stopPatience
    // What a person sees and what must last come before what may hang.
    _ = page?.stop(by: .now())
    var allEnded = panel?.stop(by: min(deadline, .now() + Appliance.smallPatience)) ?? true
    allEnded =
      control?.stop(by: min(deadline, .now() + Appliance.smallPatience)) ?? true && allEnded
    _ = store.stop(by: .now())
    allEnded = station.stop(goodbye: goodbye, by: deadline) && allEnded
    allEnded = page?.stop(by: deadline) ?? true && allEnded
    allEnded = store.stop(by: deadline) && allEnded
    if !allEnded {
      log.warning("Something did not end in time and was left behind.")
      // Not exit(): handlers that run at exit could wait for what hangs.
      _exit(ending.rawValue)
    }
    return ending
  }

  private func supervise(_ station: Station, _ panel: Panel?) -> (ending: Ending, goodbye: Bool) {
    var signals = Appliance.stopSignals
    var nextReport = MediaTime.now() + Appliance.reportInterval
    var nextWatchdog = MediaTime.now()
    while true {
      var pause = timespec(tv_sec: 0, tv_nsec: Int(Appliance.tick))
      let signal = unsafe sigtimedwait(&signals, nil, &pause)
      if signal > 0 {
        let name = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][signal] ?? "a signal"
        log.notice("Stopping, as asked by \(name).")
        return (.asked, signal == SIGINT)
      }
      let now = MediaTime.now()
      if let ending = station.supervise(now) { return (ending, ending == .asked) }
      panel?.refreshLamp()
      if now >= nextReport {
        nextReport = nextReport + Appliance.reportInterval
        if let report = station.report(now) { log.info("\(report)") }
      }
      if let interval = manager.watchdogNanos, now >= nextWatchdog, station.isAlive(now) {
        nextWatchdog = now + interval
        manager.notify("WATCHDOG=1")
      }
    }
  }
}
