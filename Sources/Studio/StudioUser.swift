// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// What a user of a studio needs.
public struct StudioNeeds: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let video = StudioNeeds(rawValue: 1)
  public static let audio = StudioNeeds(rawValue: 2)
}

/// Somebody who needs video or audio: a broadcast, a view off air, a recording. It keeps the studio open until it
/// leaves.
public final class StudioUser: Sendable {
  let number: Int
  private let studio: Studio
  /// `nil` after it has left.
  private let sinks = Mutex<[any PacketSink]?>([])

  init(number: Int, studio: Studio) {
    self.number = number
    self.studio = studio
  }

  /// Passes packets to a sink from now on. It gets the present headers and scenes before.
  public func add(_ sink: any PacketSink) { add(sink, isMain: false) }

  func add(_ sink: any PacketSink, isMain: Bool, choice: RenditionChoice = .programme) {
    guard
      sinks.withLock({ sinks in
        sinks?.append(sink)
        return sinks != nil
      })
    else { return }
    studio.renditions.add(sink, isMain: isMain, choice: choice)
    // The sink gets the current frame at once instead of the next one.
    studio.wake()
  }

  /// Gives a sink nothing more, until it is removed.
  func silence(_ sink: any PacketSink) { studio.renditions.silence(sink) }

  /// Takes a sink out. A packet that is just being offered may still reach it.
  public func remove(_ sink: any PacketSink) {
    sinks.withLock { $0?.removeAll { $0 === sink } }
    studio.renditions.remove(sink)
  }

  /// Takes out all sinks, and needs nothing any more.
  public func leave() {
    let sinks = sinks.withLock { sinks in
      defer { sinks = nil }
      return sinks ?? []
    }
    for sink in sinks { studio.renditions.remove(sink) }
    studio.forget(self)
  }
}
