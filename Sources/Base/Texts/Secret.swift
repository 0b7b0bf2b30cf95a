// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A text that must not be logged or shown, such as a stream key or a signed URL.
///
/// Printing, interpolating, reflecting or dumping a `Secret` shows only whether it is set. `reveal()` is the only
/// access to the text, so every use can be found in the source.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The secret text; empty if it is not set.
  private let text: String

  /// - Parameter text: empty means "not set".
  public init(_ text: String = "") { self.text = text }

  public var isSet: Bool { !text.isEmpty }

  /// The text. The caller must neither log nor show it.
  public func reveal() -> String { text }

  /// "(set)" or "(not set)", never the text.
  public var description: String { isSet ? "(set)" : "(not set)" }

  /// "(set)" or "(not set)", never the text.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` does not show the text.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
