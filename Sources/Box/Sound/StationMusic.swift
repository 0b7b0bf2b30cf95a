// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Events
internal import Posix
internal import Settings
internal import Studio
internal import Synchronization

/// The music as `GET /api/music` writes it. The names of the fields are a contract.
public struct MusicReply: Codable, Sendable, Equatable {
  /// "stopped", "starting", "playing", "paused", or "waiting" for a broadcast or a preview.
  public var state: String
  /// What is played, as it was written; `nil` if there is no music.
  public var source: String?
  /// The name of the file that is heard, or the address.
  public var piece: String?
  public var title: String?
  /// Whole seconds since the start of the piece.
  public var positionSeconds: Int?
  /// The length of the piece; `nil` if it is not known, as of a station.
  public var durationSeconds: Int?
  public var loop: Bool
  /// The volumes, 0 to 100.
  public var volume: Int
  public var voiceVolume: Int
  /// Why nothing is heard, as a code and as a sentence; `nil` for no trouble.
  public var cause: String?
  public var sentence: String?
}

// Music: commands and state.

extension Station {
  /// The state of the music.
  package var music: MusicReply {
    let (status, volumes) = (studio.music.status, studio.volumes)
    func seconds(_ nanos: Int64?) -> Int? { nanos.map { Int($0 / 1_000_000_000) } }
    return MusicReply(
      state: status.state.rawValue, source: status.source, piece: status.piece,
      title: status.title, positionSeconds: seconds(status.position),
      durationSeconds: seconds(status.duration),
      loop: status.source == nil ? settings.music.loops : status.loops, volume: volumes.music,
      voiceVolume: volumes.voice, cause: status.trouble?.code, sentence: status.trouble?.sentence)
  }

  /// Plays music. Reads the disk.
  /// - Parameters:
  ///   - source: as in `music.source`; `nil` for the one of the settings.
  ///   - loops: `nil` as the settings say.
  ///   - volume: 0 to 100; `nil` to leave it.
  ///   - isRemote: whether the command comes from elsewhere than the box. Then it may not name files of the box, other
  ///     than uploaded ones.
  package func startMusic(
    _ source: String?, loops: Bool?, volume: Int?, isRemote: Bool, by origin: String
  ) -> ControlReply {
    let settings = self.settings.music
    var choice = settings.source
    if let source {
      guard let given = MusicChoice(source) else {
        return ControlReply(fault: "unfit_source", "The source must be \(MusicChoice.allowed).")
      }
      if isRemote, let problem = Configuration.remoteProblem(ofMusic: source) {
        return ControlReply(fault: problem.code.rawValue, "The source \(problem.sentence).")
      }
      choice = given.inMediaFolder("\(directory)/\(MediaFolder.directoryName)")
    }
    guard choice != .none else {
      return ControlReply(
        fault: "no_music", "There is no music to play: name a source, or set music.source.")
    }
    let name = source ?? shown(settings.source)
    guard let request = MusicRequest(choice, name: name, loops: loops ?? settings.loops) else {
      return ControlReply(fault: "unfit_source", MusicTrouble.unfitAddress(of: name).sentence)
    }
    if case .file(let path) = choice, File.size(path) == nil {
      return ControlReply(
        fault: "no_such_file", FileTrouble.missing(path: request.shown(path)).sentence)
    }
    events.note(.notice, "Music: \(name) was chosen \(origin).")
    studio.setVolumes(voice: nil, music: volume)
    studio.music.start(request)
    return ControlReply(changed: true, "The music begins.")
  }

  package func pauseMusic(by origin: String) -> ControlReply {
    do throws(MusicCommandError) {
      try studio.music.pause()
    } catch {
      return ControlReply(fault: "music_not_playing", "No music plays that could be paused.")
    }
    endMusicTrouble()
    events.report(.musicPaused, "The music was paused \(origin).")
    return ControlReply(changed: true, "The music is paused.")
  }

  package func resumeMusic(by origin: String) -> ControlReply {
    do throws(MusicCommandError) {
      try studio.music.resume()
    } catch {
      return ControlReply(fault: "music_not_paused", "No music is paused.")
    }
    events.report(.musicResumed, "The music goes on \(origin).")
    return ControlReply(changed: true, "The music goes on.")
  }

  package func stopMusic(by origin: String) -> ControlReply {
    guard studio.music.stop() else {
      return ControlReply(changed: false, "No music plays.")
    }
    endMusicTrouble()
    events.report(.musicStopped, "The music was stopped \(origin).")
    return ControlReply(changed: true, "The music has ended.")
  }

  /// Sets how loud voice and music are, 0 to 100 each; `nil` changes nothing.
  package func setVolumes(voice: Int?, music: Int?, by origin: String) -> ControlReply {
    let before = studio.volumes
    studio.setVolumes(voice: voice, music: music)
    let now = studio.volumes
    guard now != before else { return ControlReply(changed: false, "Nothing has changed.") }
    let sentence = "The volume of the voice is \(now.voice), that of the music \(now.music)"
    events.note(.info, "\(sentence), \(origin).")
    return ControlReply(changed: true, "\(sentence).")
  }

  /// Plays the music of the settings at the beginning of a broadcast, if they ask for it and no music plays yet.
  func beginMusic() {
    let settings = self.settings.music
    guard settings.autostart, studio.music.status.state == .stopped,
      let request = MusicRequest(
        settings.source, name: shown(settings.source), loops: settings.loops)
    else { return }
    studio.music.start(request)
  }

  /// Ends the music with the broadcast: the next one is not to begin with it by surprise.
  func endMusic() {
    guard studio.music.stop() else { return }
    endMusicTrouble()
    events.report(.musicStopped, "The music has ended with the broadcast.")
  }

  /// A choice of the settings as people write it: the media folder without its path.
  private func shown(_ choice: MusicChoice) -> String {
    choice.shown(mediaFolder: "\(directory)/\(MediaFolder.directoryName)")
  }

  private func endMusicTrouble() { events.endTrouble(Station.musicSubject) }

  /// The subject of the music's troubles and events.
  private static let musicSubject = "music"
}
