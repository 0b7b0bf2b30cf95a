// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Text that must not be seen: a stream key, a password, a URL with a signature in it.
///
/// Printing, interpolating, reflecting or dumping it says only whether it is set; `reveal()` is the
/// one way to the text, so that every use of it can be found in the source.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private let text: String

  /// Wraps `text`; empty text means "not set".
  public init(_ text: String = "") { self.text = text }

  /// Whether there is any text at all.
  public var isSet: Bool { !text.isEmpty }

  /// The text itself. What gets it must neither log nor show it.
  public func reveal() -> String { text }

  /// "(set)" or "(not set)".
  public var description: String { isSet ? "(set)" : "(not set)" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` finds nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
