// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import HTTPTypes
internal import Hummingbird

extension Routes {
  private struct Music: RequestBody {
    static let fields: Set = ["source", "loop", "volume"]
    var source: String?
    var loop: Bool?
    var volume: Int?
  }

  private struct Volumes: RequestBody {
    static let fields: Set = ["voice", "music"]
    var voice: Int?
    var music: Int?
  }

  /// Adds the routes that play music and set the volumes.
  func addMusic(to table: inout RouteTable) {
    table.on(.get, "api/music", needs: .read) { [station] _, _ in Answer.json(station.music) }
    table.on(.post, "api/music", needs: .operate) { [station] request, context in
      let body = try await Routes.body(of: request)
      let music = body.isEmpty ? Music() : try Routes.decode(Music.self, body)
      guard Routes.isVolume(music.volume) else { return Routes.unfitVolume }
      let (isRemote, origin) = (context.isRemote, context.origin)
      let reply = try await station.jobs.run {
        station.startMusic(
          music.source, loops: music.loop, volume: music.volume, isRemote: isRemote, by: origin)
      }
      let isUnfit = ["unfit_source", "media_only"].contains(reply.code)
      return Answer.reply(reply, isUnfit ? .badRequest : nil)
    }
    table.on(.post, "api/music/pause", needs: .operate) { [station] request, context in
      // A command whose body does not arrive completely is not carried out.
      _ = try await Routes.body(of: request)
      return Answer.reply(station.pauseMusic(by: context.origin))
    }
    table.on(.post, "api/music/resume", needs: .operate) { [station] request, context in
      _ = try await Routes.body(of: request)
      return Answer.reply(station.resumeMusic(by: context.origin))
    }
    table.on(.post, "api/music/stop", needs: .operate) { [station] request, context in
      _ = try await Routes.body(of: request)
      return Answer.reply(station.stopMusic(by: context.origin))
    }
    table.on(.post, "api/volumes", needs: .operate) { [station] request, context in
      let volumes = try await Routes.decode(Volumes.self, request)
      guard Routes.isVolume(volumes.voice), Routes.isVolume(volumes.music) else {
        return Routes.unfitVolume
      }
      return Answer.reply(
        station.setVolumes(voice: volumes.voice, music: volumes.music, by: context.origin))
    }
  }

  private static func isVolume(_ volume: Int?) -> Bool { volume.map { 0...100 ~= $0 } ?? true }

  private static var unfitVolume: Response {
    Answer.fault("unfit_volume", "A volume is a whole number, 0 to 100.", .badRequest)
  }
}
