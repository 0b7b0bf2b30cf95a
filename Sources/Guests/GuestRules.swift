// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What the settings say about guests and layouts.
public struct GuestRules: Equatable, Sendable {
  /// What the settings say about one guest.
  public struct Guest: Equatable, Sendable {
    public var name: String
    public var isEnabled: Bool
    /// Whether he is on air whenever he is there, without a person who admits him.
    public var isAdmittedByItself: Bool
    /// Whether the programme takes his picture.
    public var takesPicture: Bool
    /// Whether the programme takes his sound.
    public var takesSound: Bool
    /// How his picture is fitted into a pane.
    public var fit: Fit
    /// A number that changes with his address or key: whoever uses another one has to be admitted anew.
    public var line: Int

    public init(
      _ name: String, isEnabled: Bool = true, isAdmittedByItself: Bool = false,
      takesPicture: Bool = true, takesSound: Bool = true, fit: Fit = .fill, line: Int = 0
    ) {
      (self.name, self.isEnabled, self.line) = (name, isEnabled, line)
      self.isAdmittedByItself = isAdmittedByItself
      (self.takesPicture, self.takesSound, self.fit) = (takesPicture, takesSound, fit)
    }
  }

  /// The guests, each with another name.
  public var guests: [Guest]
  /// Time for which a lost guest keeps his place.
  public var lostSeconds: Int
  /// The most guests that are on air at once, 1 to 8.
  public var most: Int
  /// Whether the layout follows who is on air.
  public var isAutomatic: Bool
  /// The layout that is used with guests.
  public var layout: GuestLayout
  /// The layouts of free panes, by name.
  public var freeLayouts: [String: [FreePane]]

  public init(
    _ guests: [Guest] = [], lostSeconds: Int = 10, most: Int = 3, isAutomatic: Bool = true,
    layout: GuestLayout = .sideBySide, freeLayouts: [String: [FreePane]] = [:]
  ) {
    (self.guests, self.lostSeconds, self.most) = (guests, lostSeconds, most)
    (self.isAutomatic, self.layout, self.freeLayouts) = (isAutomatic, layout, freeLayouts)
  }
}
