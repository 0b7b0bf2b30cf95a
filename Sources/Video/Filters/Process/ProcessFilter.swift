// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// A filter that is a process of its own: a plug-in of frei0r, or a program that the box's owner has installed.
///
/// The filter waits for the answer of the process, for at most half the time from frame to frame. The wait counts as
/// time for preparing the frame: the encoder's settings are chosen for the time that remains.
///
/// Without the wait, the filter could only show the answer to the previous frame. The picture would lag behind the
/// sound by a frame, a late answer would show two frames in the wrong order, and after a pause or a change of the
/// source viewers could see a frame from before it.
@safe final class ProcessFilter: PictureFilter {
  /// The program and its present parameters.
  private var plan: ProcessFilterPlan
  /// Starts and ends the filter's program.
  private let process: FilterProcess
  /// Decides when the program has been late too often.
  private var lateness = FilterLateness()
  /// Identifies the present parameters: each change of the parameters increases this number by one.
  private var parametersNumber: UInt32 = 1

  init(_ plan: ProcessFilterPlan) {
    self.plan = plan
    process = FilterProcess(plan)
  }

  deinit { process.stop() }

  /// Lets the program filter a frame in place. Leaves the frame as it is while the program is not ready or is late.
  @unsafe func apply(to frame: FilterFrame) {
    guard let session = unsafe process.session(for: frame.size) else { return }
    let clock = plan.host.clock
    session.set(plan, number: parametersNumber)
    switch unsafe session.exchange(
      frame, patience: plan.patience, points: plan.host.points, on: clock)
    {
    case .late:
      if lateness.noteLate(clock.now) { process.fail(.late) }
    case .silent: process.fail(.silent)
    case .wrong: process.fail(.wrongAnswer)
    case .changed, .unchanged, .busy, .ended: break
    }
  }

  /// Uses other parameters from the next frame on; returns `false` for a plan with another program, name or host.
  func change(_ plan: any PictureFilterPlan) -> Bool {
    guard let plan = plan as? ProcessFilterPlan, plan.name == self.plan.name,
      plan.program == self.plan.program, plan.host === self.plan.host
    else { return false }
    let isOther = plan.text != self.plan.text || plan.face != self.plan.face
    self.plan = plan
    guard isOther else { return true }
    parametersNumber &+= 1
    // If the filter is off, `process.change` starts it again: it may work with the new parameters.
    lateness = FilterLateness()
    process.change(plan)
    return true
  }

  /// Restarts the program, because it may have kept earlier frames and show them later.
  func reset() { process.restart() }
}
