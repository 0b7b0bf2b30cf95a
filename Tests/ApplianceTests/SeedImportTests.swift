// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Access
import FoundationEssentials
import Glibc
import Posix
import Settings
import TestSupport
import Testing

@testable import Appliance

/// A card, a box's state and NetworkManager's folder.
@Suite struct SeedImportTests {
  private let card = freshDirectory()
  private let connections = freshDirectory()
  private let state: StateDirectory

  init() throws {
    state = try StateDirectory(path: freshDirectory())
    // Folders that only this user can enter.
    for path in [card, connections] { _ = try StateDirectory(path: path) }
  }

  private func put(_ text: String, _ name: String = Seed.fileName) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(card)/\(name)"))
  }

  private func read(_ path: String) -> String? {
    (try? File.read(path, limit: 10_000)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  private var onCard: String? { read("\(card)/\(Seed.fileName)") }
  private var errors: String? { read("\(card)/\(SeedImport.errorsName)") }
  private var profile: String? { read("\(connections)/\(WiFiProfile.fileName)") }
  private var kept: [String] { (try? RunTimeSettings(directory: state.path))?.keys ?? [] }

  private func run(
    connections other: String? = nil, environment: [String: String] = [:]
  ) async -> SeedImport.Outcome {
    await SeedImport(
      folder: card, state: state, connections: other ?? connections, environment: environment,
      load: { [path = state.path] layer throws(ConfigurationError) in
        try Configuration.loadWithFallback(
          file: nil, runTime: .given(layer), environment: ["STATE_DIRECTORY": path])
      }
    ).run()
  }

  /// What is told instead of taking the file.
  private func mistakes(_ outcome: SeedImport.Outcome) throws -> [String] {
    let told: [String]? =
      switch outcome {
      case .mistaken(let sentences): sentences
      case .notKept(let sentence): [sentence]
      case .nothing, .known, .taken, .covered, .secretsLeft: nil
      }
    return try #require(told, "it was taken")
  }

  private let file = """
    publish.url = "rtmp://example.org/live"
    publish.key = "s3cret-K3Y"
    page.password = "correct horse"
    [wifi]
    ssid = "Home"
    password = "s3cret; \\\\1"
    country = "DE"
    """

  @Test func everythingIsKeptAndTheSecretsAreEmptied() async throws {
    try put(file)
    #expect(await run() == .taken)
    #expect(kept == ["publish.key", "publish.url", "wifi.country"])
    #expect(read("\(state.path)/settings.toml")?.contains("s3cret-K3Y") == true)
    #expect(onCard?.contains("s3cret") == false && onCard?.contains("horse") == false)
    #expect(
      profile?.contains("ssid=72;111;109;101;\n") == true
        && profile?.contains("psk=s3cret; \\\\1\n") == true)
    var status = stat()
    #expect(unsafe stat("\(connections)/\(WiFiProfile.fileName)", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let access = Access(directory: state.path, hashing: .ordinary) { _ in }
    _ = try await access.logIn(password: "correct horse", from: .owner)
    #expect(errors == nil)
  }

  @Test func whatWasTakenDoesNotComeBack() async throws {
    try put(file)
    #expect(await run() == .taken)
    // Changed on the page since then.
    try RunTimeSettings().applying(SettingsPatch(["video.fps": .integer(20)])).save(in: state.path)
    #expect(await run() == .known)
    #expect(kept == ["video.fps"])
    // What a person changes on the card counts, and the Wi-Fi keeps its password.
    try put((onCard ?? "") + "\nhidden = true\n")
    #expect(await run() == .taken)
    #expect(kept == ["publish.url", "video.fps", "wifi.country"])
    #expect(profile?.contains("psk=s3cret; \\\\1\n") == true)
    #expect(profile?.contains("hidden=true") == true)
    try put("[wifi]\nssid = \"Other\"\n")
    #expect(await run() == .taken)
    #expect(profile?.contains("psk") == false, "the password is of another network")
  }

  /// The card's file is taken again by itself when the box has lost what was set on the page.
  @Test(arguments: ["damaged settings", "a lost state", "a new box"])
  func itUncoversNothing(_ kind: String) async throws {
    let marks = freshDirectory()
    _ = try StateDirectory(path: marks)
    switch kind {
    case "damaged settings": try Data().write(to: URL(filePath: "\(state.path)/settings.toml"))
    case "a lost state": try Data().write(to: URL(filePath: "\(marks)/password-was-set"))
    default: break
    }
    try put("video.fps = 20\nfilter.a.kind = \"mask\"\nfilter.a.x = 0.5\n")
    let outcome = await run(environment: ["ONAIR_MARKS": marks])
    let isLost = kind != "a new box"
    if case .covered(let sentence) = outcome {
      #expect(isLost && sentence.contains("remove the filter \"everything\""))
      #expect(SeedImport.trouble(in: state.path) == sentence)
    } else {
      #expect(outcome == .taken && !isLost)
    }
    #expect(kept.contains("filter.everything.kind") == isLost)
    #expect(kept.contains("filter.a.x") && kept.contains("video.fps"))
    #expect(await run(environment: ["ONAIR_MARKS": marks]) == .known)
  }

  /// After a factory reset, or on a new file system, the file on the card is without its secrets: the Wi-Fi is not open.
  @Test func anEmptiedPasswordOpensNoNetwork() async throws {
    try put("[wifi]\nssid = \"Home\"\npassword = \"\"\n")
    #expect(await run() == .taken)
    #expect(profile == nil)
    try put("[wifi]\nssid = \"Café\"\n")
    #expect(await run() == .taken)
    #expect(profile?.contains("psk") == false)
  }

  /// The same password again does not end sessions.
  @Test func theSamePasswordChangesNothing() async throws {
    try put(file)
    #expect(await run() == .taken)
    let access = Access(directory: state.path, hashing: .ordinary) { _ in }
    let session = try await access.logIn(password: "correct horse", from: .owner).session.reveal()
    try put(file)
    #expect(await run() == .taken)
    #expect(
      Access(directory: state.path, hashing: .ordinary) { _ in }.scope(ofSession: session) == .admin
    )
  }

  /// A power cut after the settings were kept, and before the card was written to.
  @Test func aSecondRunFinishesTheFirst() async throws {
    try put(file)
    #expect(await run() == .taken)
    try put(file)
    try File.remove(SeedImport.takenName, in: state.path)
    #expect(await run() == .taken)
    #expect(onCard?.contains("s3cret") == false)
    #expect(kept == ["publish.key", "publish.url", "wifi.country"])
  }

  /// A power cut while the card was written to.
  @Test func aHalfEmptiedFileIsFinished() async throws {
    try put(file)
    #expect(await run() == .taken)
    let emptied = Array((onCard ?? "").utf8)
    let half = Data(emptied[..<58] + Array(file.utf8)[58...])
    try half.write(to: URL(filePath: "\(card)/\(Seed.fileName)"))
    #expect(onCard?.contains("ret-K3Y") == true)
    #expect(await run() == .known)
    #expect(onCard.map { Array($0.utf8) } == emptied)
    #expect(errors == nil)
  }

  @Test func mistakesAreToldOnTheCardAndInTheBox() async throws {
    try put("video.fsp = 25\npublish.key = \"s3cret\"\n")
    let sentences = try mistakes(await run())
    #expect(sentences.count == 1)
    #expect(kept == [] && profile == nil)
    #expect(onCard?.contains("s3cret") == true, "it is not taken, so it stays")
    let lines = try #require(errors).components(separatedBy: "\r\n")
    #expect(lines.count == 4 && lines.last == "", "each line ends as Windows expects it")
    #expect(lines[2].hasPrefix("Line 1, column 1: video.fsp: there is no such setting"))
    #expect(!lines.joined().contains("\n"))
    #expect(
      SeedImport.trouble(in: state.path)?.hasSuffix("did you mean video.fps?") == true)
    try put("video.fps = 25\n")
    #expect(await run() == .taken)
    #expect(errors == nil)
    #expect(SeedImport.trouble(in: state.path) == nil)
  }

  /// Mistakes that only show together with the box's own settings.
  @Test func whatDoesNotGoWithTheBoxIsToldInItsLine() async throws {
    try put("video.fps = 25\npublish.backup_url = \"rtmp://example.org/live\"\n")
    #expect(
      await run()
        == .mistaken(["Line 2, column 1: publish.backup_url: is set, and publish.url is not."]))
    try put("state.directory = \"/tmp\"\n")
    let sentences = try mistakes(await run())
    #expect(sentences.first?.hasPrefix("Line 1, column 1: state.directory: ") == true)
  }

  /// Nothing is taken, and the mistake has its line.
  @Test(arguments: ["short", "Password1!"])
  func anUnfitPasswordTakesNothing(_ password: String) async throws {
    try put(file.replacing("correct horse", with: password))
    let sentences = try mistakes(await run())
    #expect(sentences.count == 1)
    #expect(sentences[0].hasPrefix("Line 3, column 1: page.password: "), "\(sentences)")
    #expect(kept == [] && profile == nil)
    #expect(onCard?.contains("s3cret") == true)
    #expect(errors?.contains("page.password") == true)
  }

  /// The operator's is known only to the box.
  @Test func theOperatorsPasswordTakesNothing() async throws {
    let access = Access(directory: state.path, hashing: .ordinary) { _ in }
    _ = try await access.setUp(password: "battery staple", from: .owner)
    try await access.setOperatorPassword("correct horse")
    try put(file)
    #expect(try mistakes(await run())[0].hasPrefix("Line 3, column 1: page.password: "))
    #expect(kept == [] && profile == nil)
  }

  /// What only begins like the file is not asked about.
  @Test(arguments: ["onair-logo.png", "onair.mp4", "onair-2026.pdf"])
  func aNameOfSomethingElseIsNothing(_ name: String) async throws {
    try put("x", name)
    #expect(unsafe mkdir("\(card)/OnAir", 0o700) == 0)
    #expect(unsafe mkdir("\(card)/onair.txt", 0o700) == 0)
    #expect(await run() == .nothing)
    #expect(errors == nil)
  }

  /// Names that computers make of onair.toml, often unseen.
  @Test(arguments: [
    "Onair.toml.txt", "onair.toml.TXT", "ONAIR.TOML", "onair.txt", "onair", "onair.toml.toml",
    "onair.toml.rtf",
    "onair.toml ", "onair (1).toml", "onair(2).toml", "onair - Copy.toml", "onair - Copy (2).toml",
    "onair copy 3.toml",
    "onair 2.toml", "onair-1.toml", "onair.toml (1)", "onair.toml - Kopie.txt", "onair - 副本.toml",
    "onair.toml.text",
  ])
  func aNameThatIsClearIsTaken(_ name: String) async throws {
    try put(file, name)
    // Of the box, and of editors.
    try put("x", "onair-diagnostics.txt")
    try put("x", ".onair.toml.swp")
    try put("x", "._onair.toml")
    #expect(await run() == .taken)
    #expect(errors == nil)
    #expect(kept == ["publish.key", "publish.url", "wifi.country"])
    #expect(read("\(card)/\(name)")?.contains("s3cret") == false)
    #expect(await run() == .known)
  }

  @Test(arguments: [
    "onair-old.toml", "onair.toml.docx", "onair.tml", "OnAir settings.toml", "onair.toml~",
    "onair.json",
  ])
  func aNameThatIsNotClearIsTold(_ name: String) async throws {
    try put("video.fps = 25\n", name)
    let sentences = try mistakes(await run())
    #expect(sentences.first?.contains(name) == true)
    #expect(errors?.contains(name) == true)
    #expect(kept == [])
    try File.remove(name, in: card)
    #expect(await run() == .nothing)
    #expect(errors == nil)
  }

  @Test func ofSeveralNoneIsTaken() async throws {
    try put("video.fps = 25\n", "onair (1).toml")
    try put("video.fps = 24\n", "Onair.toml.txt")
    let sentences = try mistakes(await run())
    #expect(sentences.count == 1)
    for name in ["onair (1).toml", "Onair.toml.txt"] { #expect(errors?.contains(name) == true) }
    #expect(kept == [])
  }

  /// The right name counts, and what it hides is told on the card: that is no mistake of the settings.
  @Test func besidesTheRightNameOthersAreTold() async throws {
    try put("video.fps = 25\n")
    try put("video.fps = 24\n", "onair (1).toml")
    try put("video.fps = 24\n", "onair-old.toml")
    for expected in [SeedImport.Outcome.taken, .known] {
      #expect(await run() == expected)
      #expect(kept == ["video.fps"])
      #expect(errors?.contains("onair (1).toml is not used, since there is onair.toml.") == true)
      #expect(errors?.contains("mistakes") == false)
      #expect(errors?.contains("onair-old") == false, "its name means something else")
      #expect(SeedImport.trouble(in: state.path) == nil)
    }
    try File.remove("onair (1).toml", in: card)
    #expect(await run() == .known)
    #expect(errors == nil)
  }

  /// A card is not written to when there is nothing new to tell.
  @Test func theSameMistakesAreWrittenOnce() async throws {
    try put("video.fsp = 25\n")
    _ = try mistakes(await run())
    let before = FileStamp(path: "\(card)/\(SeedImport.errorsName)")
    _ = try mistakes(await run())
    #expect(before == FileStamp(path: "\(card)/\(SeedImport.errorsName)"))
  }

  /// Notepad's "Unicode", with and without its mark.
  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], ["", "\u{FEFF}"])
  func utf16IsTakenAndEmptied(_ encoding: String.Encoding, _ mark: String) async throws {
    let text = mark + file.replacing("correct horse", with: "correct h\u{F6}rse 🐎")
    let bytes = try #require(text.data(using: encoding))
    try bytes.write(to: URL(filePath: "\(card)/\(Seed.fileName)"))
    #expect(await run() == .taken)
    #expect(kept == ["publish.key", "publish.url", "wifi.country"])
    _ = try await Access(directory: state.path, hashing: .ordinary) { _ in }.logIn(
      password: "correct h\u{F6}rse 🐎", from: .owner)
    let left = try Data(contentsOf: URL(filePath: "\(card)/\(Seed.fileName)"))
    #expect(left.count == bytes.count)
    let plain = try #require(String(data: left, encoding: encoding))
    #expect(plain.contains("ssid = \"Home\"") && !plain.contains("s3cret") && !plain.contains("🐎"))
    #expect(await run() == .known)
    // A power cut while it was written over, in the middle of the key.
    let cut = 2 * (58 + mark.utf16.count)
    try (left.prefix(cut) + bytes.dropFirst(cut)).write(
      to: URL(filePath: "\(card)/\(Seed.fileName)"))
    #expect(await run() == .known)
    #expect(try Data(contentsOf: URL(filePath: "\(card)/\(Seed.fileName)")) == left)
  }

  /// What is no text is told as what it is, whatever its name.
  @Test(arguments: [
    ("{\\rtf1\\ansi\\f0 video.fps = 25}", "RTF"), ("PK\u{3}\u{4}\u{14}", "word processor"),
    ("<!DOCTYPE html>", "web page"), ("%PDF-1.7", "PDF"),
  ])
  func whatIsNoTextIsTold(_ text: String, _ kind: String) async throws {
    for name in [Seed.fileName, "onair.toml.rtf", "onair.toml.txt"] {
      try put(text, name)
      let sentences = try mistakes(await run())
      #expect(sentences.count == 1 && sentences[0].contains(kind), "\(sentences)")
      #expect(sentences[0].contains("save it again as plain text"))
      try File.remove(name, in: card)
    }
  }

  /// A folder, a device, a pipe, a link, a file that is too long: all are told, and nothing hangs.
  @Test func hostileFilesAreTold() async throws {
    let path = "\(card)/\(Seed.fileName)"
    let make: [() -> Void] = [
      { _ = unsafe mkdir(path, 0o700) },
      { _ = unsafe mkfifo(path, 0o600) },
      { _ = unsafe symlink("/etc/passwd", path) },
      { _ = unsafe symlink("/dev/zero", path) },
      { try? Data(count: Seed.maxBytes + 1).write(to: URL(filePath: path)) },
    ]
    for step in make {
      step()
      let sentences = try mistakes(await run())
      #expect(sentences.count == 1 && sentences[0].hasPrefix("onair.toml "))
      #expect(kept == [])
      if unsafe rmdir(path) != 0 { #expect(unsafe unlink(path) == 0) }
    }
  }

  /// A link is not followed, wherever it leads.
  @Test func aLinkIsToldAsALink() async throws {
    try put("video.fps = 25\n", "elsewhere")
    #expect(unsafe symlink("elsewhere", "\(card)/\(Seed.fileName)") == 0)
    #expect(
      try mistakes(await run()) == [
        "onair.toml is a symbolic link, not the file itself: put the file there."
      ])
  }

  /// The settings were taken, and that is said, although the secrets are still on the card.
  @Test func secretsThatStayOnTheCardAreTold() async throws {
    try put(file)
    // A second name: writing to the file would change a file elsewhere.
    #expect(unsafe link("\(card)/\(Seed.fileName)", "\(card)/other") == 0)
    let sentence =
      "All settings of onair.toml were taken, but its passwords and keys are still on the card, since the file "
      + "has a second name (a hard link): remove them."
    #expect(await run() == .secretsLeft(sentence))
    #expect(kept == ["publish.key", "publish.url", "wifi.country"])
    #expect(onCard?.contains("s3cret") == true)
    #expect(SeedImport.trouble(in: state.path) == sentence)
    #expect(errors?.hasPrefix("OnAir has taken the settings of this card.\r\n") == true)
    #expect(errors?.contains(sentence) == true)
    #expect(unsafe unlink("\(card)/other") == 0)
    #expect(await run() == .taken)
    #expect(onCard?.contains("s3cret") == false)
    #expect(errors == nil && SeedImport.trouble(in: state.path) == nil)
  }

  /// A folder where the mistakes should be written does not keep the box from telling them.
  @Test func aCardThatCannotBeWrittenToIsTold() async throws {
    try put("video.fsp = 25\n")
    _ = unsafe mkdir("\(card)/\(SeedImport.errorsName)", 0o700)
    _ = try mistakes(await run())
    #expect(SeedImport.trouble(in: state.path)?.contains("video.fsp") == true)
  }

  @Test func withoutNetworkManagerNothingIsEmptied() async throws {
    try put(file)
    let sentence = try mistakes(await run(connections: "/nowhere")).joined()
    #expect(sentence.contains("NetworkManager"))
    #expect(onCard?.contains("s3cret") == true)
    #expect(errors?.contains("NetworkManager") == true)
    #expect(await run() == .taken)
  }
}
