// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A setting whose value differs between two configurations. It contains no values, since some are secret.
public struct SettingChange: Sendable, Equatable {
  /// "video.size".
  public let key: String
  public let effect: Declaration.Effect
}

extension Settings {
  /// The settings whose values differ, in the order of the declarations. A changed stream key in a file or a systemd
  /// credential is not a changed setting: compare `Configuration.destination`.
  public func changes(to new: Settings) -> [SettingChange] {
    let (old, changed) = (values, new.values)
    return relayChanges(to: new)
      + Settings.declarations
      .filter { declaration in
        guard let old = old[declaration.key], let value = changed[declaration.key] else {
          return false
        }
        return !isEqual(old, value)
      }
      .map { SettingChange(key: $0.key, effect: effect(of: $0, in: new)) }
  }

  /// Of a relay that is new those settings have changed that are not their defaults, and of one that is gone its address.
  private func relayChanges(to new: Settings) -> [SettingChange] {
    let (old, all) = (Set(relays.map(\.name)), Set(new.relays.map(\.name)))
    return all.union(old).sorted().flatMap { name in
      let section = "\(RelaySettings.section).\(name)"
      guard let after = new.relays.first(where: { $0.name == name })?.values else {
        return [SettingChange(key: "\(section).url", effect: .immediate)]
      }
      let before = relays.first { $0.name == name }?.values ?? RelaySettings.defaults
      return RelaySettings.declarations.compactMap { declaration -> SettingChange? in
        let field = declaration.key.split(separator: ".").last.map(String.init) ?? ""
        guard let value = after[field], let earlier = before[field], !isEqual(earlier, value)
        else { return nil }
        return SettingChange(key: "\(section).\(field)", effect: declaration.effect)
      }
    }
  }

  /// A broadcast keeps having video, or audio, or not.
  private func effect(of declaration: Declaration, in new: Settings) -> Declaration.Effect {
    switch declaration.key {
    case "video.source" where (video.source == .none) != (new.video.source == .none),
      "audio.source" where (audio.source == .none) != (new.audio.source == .none):
      .nextBroadcast
    default: declaration.effect
    }
  }

  /// The value of each setting by its key, which is the property's name in snake case.
  var values: [String: any Equatable] { values(ofSection: nil) }

  /// Those of one section, or of all.
  func values(ofSection only: String?) -> [String: any Equatable] {
    var values: [String: any Equatable] = [:]
    for section in Mirror(reflecting: self).children where section.label != "relays" {
      let name = snakeCase(section.label ?? "")
      guard only == nil || name == only else { continue }
      for property in Mirror(reflecting: section.value).children {
        guard let value = property.value as? any Equatable else { continue }
        values["\(name).\(snakeCase(property.label ?? ""))"] = value
      }
    }
    return values
  }
}

extension RelaySettings {
  fileprivate static var defaults: [String: any Equatable] {
    var form = Form()
    return RelaySettings(&form, name: "").values
  }

  /// The value of each setting by its name in snake case.
  var values: [String: any Equatable] {
    var values: [String: any Equatable] = [:]
    for property in Mirror(reflecting: self).children {
      if let value = property.value as? any Equatable {
        values[snakeCase(property.label ?? "")] = value
      }
    }
    return values
  }
}

private func isEqual<Value: Equatable>(_ a: Value, _ b: any Equatable) -> Bool {
  b as? Value == a
}

/// "bitrate_kbps" for "bitrateKbps".
private func snakeCase(_ name: String) -> String {
  var bytes: [UInt8] = []
  for byte in name.utf8 {
    let isUppercase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    if isUppercase { bytes.append(UInt8(ascii: "_")) }
    bytes.append(isUppercase ? byte | 0x20 : byte)
  }
  return String(decoding: bytes, as: UTF8.self)
}
