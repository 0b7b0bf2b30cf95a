// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Settings

/// A change of the sound as on a mixing desk: the body of `PATCH /api/audio`, as changes of settings.
struct AudioChange: Sendable {
  /// Why the body of a request is refused: a sentence for the user.
  struct Mistake: Error {
    var sentence: String
  }

  /// The settings of the sum, by the names of the fields.
  private static let sumKeys = [
    "scene": "audio.scene", "target_lufs": "audio.target_lufs", "duck_db": "music.duck_db",
  ]
  /// The fields of a track; "source" is not among them, since `[audio]` and `[[track]]` have it.
  private static let trackFields = TrackSettings.list.fieldNames.filter { $0 != "source" }
  private static let list = TrackSettings.list

  /// The new values by key.
  private(set) var values: [String: SettingsPatch.Value?] = [:]
  /// The tracks besides the main one that are named.
  private(set) var names: [String] = []
  /// Whether an operator may make the change: it is of volumes and mutes alone.
  private(set) var isOperation = true

  /// A value of the body: the list of tracks, or the value of a setting.
  private enum Field: Decodable {
    case tracks([[String: PatchValue]])
    case value(PatchValue)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let tracks = try? container.decode([[String: PatchValue]].self) {
        self = .tracks(tracks)
      } else {
        self = .value(try container.decode(PatchValue.self))
      }
    }
  }

  init(json: [UInt8]) throws(Mistake) {
    guard let fields = try? JSONDecoder().decode([String: Field].self, from: Data(json)) else {
      throw Mistake(
        sentence:
          "The body must be a JSON object, as in {\"tracks\": [{\"name\": \"main\", \"volume\": 50}]}."
      )
    }
    for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
      switch value {
      case .tracks(let tracks) where field == "tracks": try add(tracks)
      case .value(let value) where AudioChange.sumKeys[field] != nil:
        isOperation = false
        values[AudioChange.sumKeys[field] ?? ""] = .some(value.value)
      default:
        let fields = AudioChange.sumKeys.keys.sorted() + ["tracks"]
        throw AudioChange.unknown(field, among: fields, tracks: field == "tracks")
      }
    }
  }

  private mutating func add(_ tracks: [[String: PatchValue]]) throws(Mistake) {
    var seen: Set<String> = []
    for track in tracks {
      guard case .text(let name)?? = track["name"].map(\.value) else {
        throw Mistake(sentence: "Each track needs its name, as in {\"name\": \"main\"}.")
      }
      guard name != "music" else {
        throw Mistake(sentence: "The volume of the music is set at /api/volumes.")
      }
      guard seen.insert(name).inserted else {
        throw Mistake(sentence: "The track \"\(name.onOneLine.prefix(32))\" is there twice.")
      }
      let isMain = name == Station.mainTrack
      if !isMain { names.append(name) }
      let known =
        isMain ? AudioChange.trackFields.filter { $0 != "enabled" } : AudioChange.trackFields
      for (field, value) in track where field != "name" {
        guard known.contains(field) else { throw AudioChange.unknown(field, among: known) }
        isOperation = isOperation && AudioChange.list.operable.contains(field)
        let key = isMain ? "audio.\(field)" : AudioChange.list.entry(name).key(field)
        values[key] = .some(value.value)
      }
    }
  }

  private static func unknown(
    _ field: String, among known: [String], tracks: Bool = false
  ) -> Mistake {
    if tracks { return Mistake(sentence: "\"tracks\" is a list of JSON objects.") }
    let meant = Settings.nearestWord(to: field, among: known)
    return Mistake(
      sentence: "There is no field \"\(field.onOneLine.prefix(32))\" here"
        + (meant.map { "; did you mean \"\($0)\"?" }
          ?? "; there are \(known.joined(separator: ", "))."))
  }

  /// The change, once the tracks that it names are known to exist.
  func patch(_ taken: Configuration) throws(StationError) -> SettingsPatch {
    let present = taken.entries(of: AudioChange.list).map(\.name)
    for name in names where !present.contains(name) {
      let meant = Settings.nearestWord(to: name, among: present)
      throw .unknownEntry(AudioChange.list.entry(name), meant: meant)
    }
    return SettingsPatch(values)
  }
}

extension Routes {
  /// Adds the routes of the sound as a whole. `[[track]]` has those of a list, too.
  func addAudio(to table: inout RouteTable) {
    table.on(.get, "api/audio", needs: .read) { [station] _, context in
      Answer.json(station.audio(mayViewOffAir: context.mayViewOffAir))
    }
    table.on(.patch, "api/audio", needs: .operate) { [station, desk] request, context in
      let body = try await Routes.body(of: request)
      let change: AudioChange
      do throws(AudioChange.Mistake) {
        change = try AudioChange(json: body)
      } catch {
        return Answer.fault("not_understood", error.sentence, .badRequest)
      }
      guard change.isOperation || context.scope == .admin else {
        return Answer.fault(
          "scope_too_small",
          "Only volume and mute may be changed with this scope: the rest needs \"admin\".",
          .forbidden)
      }
      let (isRemote, origin) = (context.isRemote, context.origin)
      let reply = try await station.jobs.run {
        do throws(StationError) {
          return try desk.change(by: origin, isRemote: isRemote) { (taken) throws(StationError) in
            try change.patch(taken)
          }
        } catch {
          return ControlReply(error)
        }
      }
      return Answer.reply(reply, reply.code == "unknown_track" ? .badRequest : nil)
    }
  }
}
