// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CProcess
internal import Glibc
internal import Posix
internal import Synchronization

/// Starts and ends the process of a filter on a thread of its own, and records whether the filter is off.
///
/// The thread of the video pipeline only asks for the session, under a lock that is held for a moment. A process that
/// ends or fails is not restarted automatically: a process that crashes at each frame would be restarted all the time.
final class FilterProcess: Sendable {
  /// Nanoseconds that a program may take until it is ready.
  static let startPatience = Int64.seconds(5)

  /// The state that the video pipeline's thread and the worker's thread share.
  private struct State {
    /// The program and its present parameters, with which it is started.
    var plan: ProcessFilterPlan
    /// The size of the frames that come; `nil` before the first frame.
    var size: PictureSize?
    /// The session of the running program; `nil` until the program is ready.
    var session: FilterSession?
    /// The number of the current run of the program. A higher number means that the running program has to be ended.
    var runNumber = 0
    /// The trouble for which the worker has to switch the filter off; `nil` if there is none.
    var failure: FilterTrouble?
    var isOff = false
    /// Whether the host was told that the filter is off.
    var isReportedOff = false
    /// Whether the thread of the worker was started.
    var hasThread = false
  }

  /// A program that runs, as a child process.
  private struct Child {
    var number: pid_t
    var session: FilterSession
    /// A file descriptor that becomes readable when the process has ended.
    var descriptor: Int32 { session.process }
  }

  /// The filter's name in the settings.
  private let name: String
  /// Shared by all filters of the source; receives the reason why this filter is off.
  private let host: FilterHost
  /// The parameters, the size of the frames, and the session of the running program.
  private let state: Mutex<State>
  /// The thread that starts the filter's program and waits for its end.
  private let worker: Worker
  /// Starts the thread of `worker`; tests replace this function.
  private let startThread: ThreadStart

  /// Starts the thread of a worker with the given body.
  typealias ThreadStart =
    @Sendable (Worker, @escaping @Sendable () -> Void) throws(MediaThread.NoThreadError) -> Void

  /// - Parameter startThread: starts the thread of the worker; tests replace it.
  init(
    _ plan: ProcessFilterPlan,
    startThread: @escaping ThreadStart = {
      (worker, body) throws(MediaThread.NoThreadError) in try worker.tryStart(body)
    }
  ) {
    (name, host) = (plan.name, plan.host)
    self.startThread = startThread
    state = Mutex(State(plan: plan))
    worker = Worker(name: "filter", clock: plan.host.clock)
    startWorker()
  }

  /// Starts the worker's thread. If the system cannot create a thread, reports that the filter is off.
  private func startWorker() {
    do throws(MediaThread.NoThreadError) {
      try startThread(worker) { [self] in
        while !worker.isStopping { work() }
        noteOff(nil)
      }
      state.withLock { $0.hasThread = true }
    } catch {
      noteOff(.notStarted("cannot be started: this machine has too little memory"))
    }
  }

  // MARK: For the thread of the video pipeline

  /// The session for frames of a size; `nil` while the filter's program does not run, or is not ready for that size.
  func session(for size: PictureSize) -> FilterSession? {
    let (session, isNew) = state.withLock { state in
      guard state.size != size else { return (state.session, false) }
      state.size = size
      state.session = nil
      state.runNumber += 1
      return (nil, true)
    }
    if isNew { worker.wake() }
    return session
  }

  /// Switches the filter off because of a trouble, and ends its program.
  func fail(_ trouble: FilterTrouble) {
    state.withLock { state in
      state.session = nil
      state.failure = state.failure ?? trouble
      state.runNumber += 1
    }
    worker.wake()
  }

  /// Ends the running program and starts it anew. A filter that is off stays off.
  func restart() {
    state.withLock { state in
      state.session = nil
      state.runNumber += 1
    }
    worker.wake()
  }

  /// Sets other parameters. A filter that is off is started again with them; a running program gets them with its next
  /// frame.
  func change(_ plan: ProcessFilterPlan) {
    let hasThread = state.withLock { state in
      state.plan = plan
      state.failure = nil
      if state.isOff {
        state.isOff = false
        state.runNumber += 1
      }
      return state.hasThread
    }
    if hasThread { worker.wake() } else { startWorker() }
  }

  /// Requests the end of the program, which is not started again. Does not wait until the program has ended.
  func stop() {
    worker.requestStop()
    // The worker's thread calls `noteOff(nil)` when it ends; without a thread, it has to be called here.
    if !state.withLock({ $0.hasThread }) { noteOff(nil) }
  }

  // MARK: On the worker's thread

  /// Does one round of the worker's work: runs the program until it ends, or waits for a change while the program does
  /// not have to run.
  private func work() {
    let (plan, size, runNumber, failure, isOff) = state.withLock { state in
      defer { if state.failure != nil { (state.failure, state.isOff) = (nil, true) } }
      return (state.plan, state.size, state.runNumber, state.failure, state.isOff)
    }
    if let failure { return noteOff(failure) }
    if !isOff { noteOff(nil) }
    guard let size, !isOff else {
      worker.wait(until: .distantFuture)
      return
    }
    do throws(FilterFault) {
      let child = try start(plan, size)
      let trouble = watch(child, runNumber)
      let code = end(child)
      guard let trouble else { return }
      guard trouble == .ended(0) else { return switchOff(trouble, runNumber) }
      switchOff(child.session.message.map { .said($0) } ?? .ended(code), runNumber)
    } catch {
      switchOff(.notStarted(error.reason), runNumber)
    }
  }

  /// Starts the program with its parameters, for frames of a size.
  private func start(_ plan: ProcessFilterPlan, _ size: PictureSize) throws(FilterFault) -> Child {
    var arguments = [host.tools.launcher]
    switch plan.program {
    case .frei0r(let plugin): arguments += ["frei0r", "\(getpid())", plugin]
    case .outside(let name):
      arguments += ["outside", "\(getpid())", try host.tools.path(of: name)]
    }
    let session: FilterSession
    do throws(SystemError) {
      session = try FilterSession(size)
    } catch {
      throw FilterFault("cannot be started: \(error)")
    }
    session.set(plan, number: .max)
    host.prepare(name, plan.program)
    var number: pid_t = 0
    let status = unsafe withArgumentList(arguments) { list in
      unsafe onair_process_spawn(
        host.tools.launcher, list, session.descriptors, session.descriptors.count,
        host.tools.keepsErrors ? 1 : 0, &number)
    }
    guard status == 0 else {
      throw FilterFault(
        "cannot be started: \(host.tools.launcher) does not start (\(SystemError(status))). "
          + "Install OnAir again")
    }
    session.watchEnd(onair_process_descriptor(number))
    return Child(number: number, session: session)
  }

  /// Waits until the program ends by itself, is not ready in time, or has to be ended.
  /// - Returns: why the filter has to be switched off: `.ended(0)` for a program that has ended by itself, `.notReady`
  ///   for one that was not ready in time; `nil` if the program has to be ended, but the filter stays on.
  private func watch(_ child: Child, _ runNumber: Int) -> FilterTrouble? {
    let deadline = worker.clock.now + FilterProcess.startPatience
    var isReady = false
    while true {
      let isDue = state.withLock { state in
        guard state.runNumber == runNumber else { return false }
        if isReady { state.session = child.session }
        return true
      }
      guard isDue, !worker.isStopping else { return nil }
      worker.wait(
        until: isReady ? .distantFuture : deadline,
        forAnyOf: isReady ? [child.descriptor] : [child.descriptor, child.session.signal])
      if Waker.areReadable([child.descriptor]).contains(true) { return .ended(0) }
      guard !isReady else { continue }
      isReady = child.session.isReady()
      if !isReady, worker.clock.now >= deadline { return .notReady }
    }
  }

  /// Kills a program if it still runs, and waits until it has ended.
  /// - Returns: the program's exit code, or the number of the signal that ended it, negated.
  private func end(_ child: Child) -> Int32 {
    state.withLock { $0.session = nil }
    return onair_process_end(child.number, child.descriptor)
  }

  /// Switches the filter off if `runNumber` is still the number of the current run.
  private func switchOff(_ trouble: FilterTrouble, _ runNumber: Int) {
    let isOff = state.withLock { state in
      // If the number has changed (other parameters, another size, a restart), the filter may work now.
      guard state.runNumber == runNumber else { return false }
      state.isOff = true
      return true
    }
    if isOff { noteOff(trouble) }
  }

  /// Reports to the host that the filter is off because of this trouble; `nil` reports that the filter is not off any
  /// more. Does nothing if the same was reported before.
  private func noteOff(_ trouble: FilterTrouble?) {
    let isOff = trouble != nil
    let wasReportedOff = state.withLock { state in
      defer { state.isReportedOff = isOff }
      return state.isReportedOff
    }
    if let trouble, !wasReportedOff { host.reportOff(name, trouble, of: self) }
    if trouble == nil, wasReportedOff { host.reportEnd(name, of: self) }
  }
}
