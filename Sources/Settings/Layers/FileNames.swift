// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Finds the settings that name files, and checks which files a remote client may name.

extension Configuration {
  /// The keys of the settings that name a file in the media folder.
  /// - Parameter name: the file's name, without its folder.
  public func settings(naming name: String) -> [String] {
    let paths = [MediaFolder.directoryName, "\(stateDirectory)/\(MediaFolder.directoryName)"]
    return values.filter { value in
      value.declaration.files.contains { file in
        file.use == .media
          && paths.contains {
            value.text.utf8.elementsEqual(quoted("\(file.prefix)\($0)/\(name)").utf8)
          }
      }
    }.map(\.declaration.key)
  }

  /// Why a remote client may not set `key` to `value`, which names a file; `nil` if the client may. Without this check,
  /// a client could make the box read any file, or find out which files exist. The setting's present value is always
  /// allowed, so that a client can send it back.
  func fileProblem(_ key: String, _ value: SettingsPatch.Value?) -> Problem? {
    guard let declaration = Settings.declaration(of: key), !declaration.files.isEmpty
    else { return nil }
    let text = value?.raw.asText
    if let text, hasValue(key, text) { return nil }
    return Configuration.fileProblem(key, text, declaration.files)
  }

  /// Why a remote client may not play this music, since it names a file; `nil` if it may.
  public static func remoteProblem(ofMusic text: String) -> Problem? {
    fileProblem("music.source", text, MusicChoice.files)
  }

  private static func fileProblem(
    _ key: String, _ text: String?, _ files: [FileReference]
  ) -> Problem? {
    for file in files {
      // A setting that is only a path may not even be emptied.
      if file.use == .own, file.prefix.isEmpty || text.flatMap(file.path(in:)) != nil {
        return Problem(
          place: .change, key: key,
          sentence:
            "names a file of the box: set it there, with \"onair set\" or in the settings file",
          code: .boxOnly)
      }
      guard let path = text.flatMap(file.path(in:)) else { continue }
      switch file.use {
      case .media where MediaFolder.name(inPath: path) == nil:
        return Problem(
          place: .change, key: key,
          sentence: """
            can name only a file of the box's media folder from here: upload the file, then write \
            \(file.prefix)\(MediaFolder.directoryName)/NAME
            """, code: .mediaOnly)
      case .mediaFolder where path != MediaFolder.directoryName:
        return Problem(
          place: .change, key: key,
          sentence:
            "can name only the box's media folder from here: \(file.prefix)\(MediaFolder.directoryName)",
          code: .mediaOnly)
      case .camera where !FileReference.isCamera(path):
        return Problem(
          place: .change, key: key,
          sentence: "can name only a camera from here, as camera:/dev/video0", code: .boxOnly)
      default: continue
      }
    }
    return nil
  }

  /// Whether the setting `key` has the value `text` now. The texts are compared by bytes, since texts that Unicode
  /// treats as equal may name different files.
  func hasValue(_ key: String, _ text: String) -> Bool {
    values.contains { $0.declaration.key == key && $0.text.utf8.elementsEqual(quoted(text).utf8) }
  }
}
