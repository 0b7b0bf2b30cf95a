// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[record]`: recordings of the broadcast on a disk of the box.
public struct RecordSettings: Sendable, Equatable {
  /// What begins a recording.
  public let start: RecordingStart
  /// What is recorded.
  public let what: RecordedVideo
  /// The path of the folder for recordings; empty for the stick that is plugged in.
  public let directory: String
  /// Whether each audio track is recorded by itself, besides the sum of all.
  public let separatesTracks: Bool
  /// The length in minutes after which the next file begins; 0 for no limit.
  public let cutMinutes: Int
  /// The size in MB (1,000,000 bytes) after which the next file begins; 0 for no limit.
  public let cutMB: Int
  /// The free space in MB that recordings leave.
  public let keepFreeMB: Int
  /// Whether the oldest recordings are removed when there is less free space.
  public let removesOldest: Bool
  /// The path of a program that gets each finished recording; empty for none.
  public let after: String

  init(_ form: inout Form) {
    start = form.value(
      "record.start", .choice(), default: .hand, boxOnly: [RecordingStart.always.rawValue],
      help: """
        What begins a recording: "hand" leaves it to you, "broadcast" records each broadcast, \
        "always" also records while you are off the air, so the camera and the microphone are \
        always open. "always" can be set only on the box itself, with "onair set" or in the \
        settings file.
        """)
    what = form.value(
      "record.what", .choice(), default: .sent,
      help: """
        "sent" records what viewers get. "programme" records the full picture also while the \
        network carries less: it is encoded a second time during a broadcast, if the processor has \
        time for it and no filter is a program of its own, and otherwise what is sent is recorded.
        """)
    directory = form.value(
      "record.directory", .path(.own), default: "",
      help: """
        The folder for recordings, which has to exist. If it is empty, recordings go to the USB \
        stick or card that is plugged in.
        """)
    separatesTracks = form.value(
      "record.tracks", .flag, default: false,
      help: """
        Whether each microphone and the music also get a sound track of their own in the recording, \
        to be mixed again later. The first sound track is what viewers hear. A change begins a new \
        file.
        """)
    cutMinutes = form.value(
      "record.cut_minutes", .zeroOr(1...1_440), default: 60, unit: "minutes",
      help: """
        The length after which a recording goes on in the next file. 0 sets no limit. Nothing is \
        missing between two files.
        """)
    cutMB = form.value(
      "record.cut_mb", .zeroOr(10...1_000_000), default: 0, unit: "MB",
      help: """
        The size after which a recording goes on in the next file, in millions of bytes. 0 sets no \
        limit, but a stick with the format FAT takes no file above 4 GB.
        """)
    keepFreeMB = form.value(
      "record.keep_free_mb", .wholeNumber(1...1_000_000), default: 500, unit: "MB",
      help: """
        The space, in millions of bytes, that recordings leave free. A recording stops when \
        there is less, and resumes when there is more.
        """)
    removesOldest = form.value(
      "record.remove_oldest", .flag, default: false,
      help: """
        Whether the oldest recordings are deleted to make room for new ones. Those that you have \
        marked to be kept stay.
        """)
    after = form.value(
      "record.after", .path(.own), default: "",
      help: """
        A program that is run for each finished recording, with the path of the file as its only \
        argument, for at most an hour. If it is empty, there is none. Only the settings file can \
        name it.
        """)
  }
}
