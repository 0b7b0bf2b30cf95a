// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why music does not play. Each case is a cause that a person can act on; `of` is the address or the file.
public enum MusicTrouble: Error, Equatable, Sendable {
  /// A local file cannot be played.
  case file(FileTrouble)
  /// A folder has no music in it.
  case emptyFolder(path: String)
  /// Of all pieces in a folder or a list none can be played. The value is the trouble with the last one.
  indirect case allBroken(MusicTrouble)
  /// A playlist has no entries.
  case emptyList(of: String)
  /// A playlist is longer than `Playlist.maxBytes`.
  case listTooLong(of: String)
  /// A playlist leads to a list that leads to a list, and so on.
  case listsTooDeep(of: String)
  /// A playlist names a file outside of its folder, or something that is neither http nor https.
  case entryRefused(of: String)
  /// The text is not an address that can be opened.
  case unfitAddress(of: String)
  /// The host has the address of the box itself, or of the network that the box is in.
  case addressRefused(of: String)
  case nameNotFound(of: String)
  /// No name server answers.
  case nameServerUnreachable(of: String)
  case noConnection(of: String)
  /// The server does not answer, or has sent nothing for `seconds`.
  case timedOut(of: String, seconds: Int)
  /// The server sends its music more slowly than it plays.
  case tooSlow(of: String)
  /// The connection has ended, or the station has ended its stream.
  case ended(of: String)
  /// The server answers with an error of HTTP.
  case status(of: String, code: Int, retrySeconds: Int?)
  /// The server redirects from one address to another for ever.
  case tooManyRedirects(of: String)
  /// The server answers with something other than HTTP.
  case notHTTP(of: String)
  /// The server's certificate is not valid for the name, has expired, or is signed by nobody that the box knows.
  case certificate(of: String, said: String)
  /// The server sends a web page.
  case page(of: String)
  /// The server sends something that is not music, or in a format that OnAir does not know.
  case notMusic(of: String)
  /// The source was stopped.
  case interrupted

  /// The cause in one word, for programs.
  public var code: String {
    switch self {
    case .file(let trouble): trouble.code
    case .emptyFolder: "empty_folder"
    case .allBroken(let trouble): trouble.code
    case .emptyList: "empty_list"
    case .listTooLong: "list_too_long"
    case .listsTooDeep: "lists_too_deep"
    case .entryRefused: "entry_refused"
    case .unfitAddress: "unfit_address"
    case .addressRefused: "address_refused"
    case .nameNotFound: "name_not_found"
    case .nameServerUnreachable: "name_server_unreachable"
    case .noConnection: "no_connection"
    case .timedOut: "timed_out"
    case .tooSlow: "server_slow"
    case .ended: "ended_by_server"
    case .status(_, 401, _): "login_needed"
    case .status(_, 403, _): "forbidden"
    case .status(_, let code, _) where code == 404 || code == 410: "not_found"
    case .status(_, let code, _) where code == 429 || code == 503: "server_busy"
    case .status: "server_error"
    case .tooManyRedirects: "too_many_redirects"
    case .notHTTP: "not_http"
    case .certificate: "certificate_unfit"
    case .page: "web_page"
    case .notMusic: "not_media"
    case .interrupted: "interrupted"
    }
  }

  /// The cause and the remedy, for people.
  public var sentence: String {
    switch self {
    case .file(let trouble): trouble.sentence
    case .emptyFolder(let path):
      "The folder \(path) has no music in it: put files like song.mp3 there, or choose another."
    case .allBroken(let trouble): "None of the pieces can be played. \(trouble.sentence)"
    case .emptyList(let name): "The playlist \(name) names no music: choose another one."
    case .listTooLong(let name):
      "The playlist \(name) has more than \(Playlist.maxBytes / 1_024) kB: choose a shorter one."
    case .listsTooDeep(let name):
      "The playlist \(name) leads to further lists again and again: choose the address of the music itself."
    case .entryRefused(let name):
      "A playlist names \(name), which it may not: only files beside it and http addresses are played."
    case .unfitAddress(let name):
      "\(name) is no address of music: it has to begin with http:// or https://, without a user name."
    case .addressRefused:
      "This address is on this box or in its own network, from which OnAir plays no music: upload the file"
        + " instead."
    case .nameNotFound(let name):
      "There is no server of the name in \(name): check how it is spelt."
    case .nameServerUnreachable(let name):
      "No name server answers, so \(name) cannot be found: check the network."
    case .noConnection(let name): "No connection to \(name): check the address and the network."
    case .timedOut(let name, let seconds):
      "Nothing has come from \(name) for \(seconds) seconds: check the network, or choose another address."
    case .tooSlow(let name):
      "\(name) sends its music too slowly, so it has gaps: check the network, or choose another address."
    case .ended(let name): "\(name) has ended the music."
    case .status(let name, 401, _):
      "\(name) asks for a user and a password, which OnAir cannot give: choose another address."
    case .status(let name, 403, _): "\(name) may not be played from here: choose another address."
    case .status(let name, let code, _) where code == 404 || code == 410:
      "There is no music at \(name) (\(code)): check the address."
    case .status(let name, let code, _) where code == 429 || code == 503:
      "\(name) has too many listeners just now (\(code)): wait, or choose another address."
    case .status(let name, let code, _):
      "\(name) answers with the error \(code): choose another address if that lasts."
    case .tooManyRedirects(let name):
      "\(name) only leads from one address to the next: choose another one."
    case .notHTTP(let name):
      "What answers at \(name) is no server of music: check the address and its port."
    case .certificate(let name, let said):
      "The certificate of \(name) is not valid\(said.isEmpty ? "" : " (\(said))"): "
        + "check the address and the clock of the box."
    case .page(let name):
      "\(name) is a web page, not music: copy the address of the stream that it plays."
    case .notMusic(let name):
      "\(name) sends nothing that OnAir can play: choose a stream in MP3, AAC, Ogg, FLAC or HLS."
    case .interrupted: "Stopped."
    }
  }

  /// Whether the trouble is with the network or a server and may pass by itself.
  var mayPass: Bool {
    switch self {
    case .file, .emptyFolder, .emptyList, .listTooLong, .listsTooDeep, .entryRefused,
      .unfitAddress, .interrupted:
      false
    case .allBroken(let trouble): trouble.mayPass
    default: true
    }
  }

  /// The shortest time in seconds until the next attempt: a wrong address is not asked for again and again, and a busy
  /// server gets time.
  var leastRetrySeconds: Int64 {
    switch self {
    case .status(_, let code, let seconds) where code == 429 || code == 503:
      Int64(min(max(seconds ?? 30, 30), 3_600))
    case .status(_, let code, _) where (400...499).contains(code) && code != 408: 600
    case .page, .notMusic, .notHTTP, .addressRefused, .tooManyRedirects: 600
    // The clock of the box may not be set yet.
    case .certificate: 30
    case .allBroken(let trouble): trouble.leastRetrySeconds
    default: 1
    }
  }
}

extension FileTrouble {
  /// This trouble with another name of the file, for sentences.
  func naming(_ name: String) -> FileTrouble {
    switch self {
    case .missing: .missing(path: name)
    case .notAFile: .notAFile(path: name)
    case .forbidden: .forbidden(path: name)
    case .notMedia: .notMedia(path: name)
    case .noStream(_, let what): .noStream(path: name, what: what)
    case .noDecoder(_, let what): .noDecoder(path: name, what: what)
    case .unfitRate(_, let hertz): .unfitRate(path: name, hertz: hertz)
    case .unfitSound(_, let channels): .unfitSound(path: name, channels: channels)
    case .unfitPicture: .unfitPicture(path: name)
    case .tooLarge: .tooLarge(path: name)
    case .endsProgram: .endsProgram(path: name)
    case .broken(_, let what): .broken(path: name, what: what)
    case .gone: .gone(path: name)
    case .replacement(let trouble): .replacement(trouble.naming(name))
    case .noLibrary, .interrupted: self
    case .failed(_, let error): .failed(path: name, error: error)
    }
  }
}
