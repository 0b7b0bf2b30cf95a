// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest

/// The process of a guest's reader.
public enum GuestReaderProcess {
  /// The exit codes, of sysexits.h.
  private static let (notStarted, notConfined): (Int32, Int32) = (76, 77)

  /// Confines this process, and reads the guest until OnAir asks it to return. To be called before any other thread
  /// exists.
  /// - Parameter isService: whether the service manager has started this process, so that what OnAir gives it comes on
  ///   the socket.
  /// - Returns: the exit code.
  public static func run(isService: Bool) -> Int32 {
    guard !isService || onair_guest_take_descriptors() == 0 else { return notStarted }
    guard let memory = unsafe onair_guest_open() else { return notStarted }
    let output = unsafe GuestMemoryOutput(
      memory: memory, control: ONAIR_GUEST_CONTROL, event: ONAIR_GUEST_EVENT)
    var reason: UnsafePointer<CChar>?
    guard unsafe onair_guest_confine(memory, &reason) == 0 else {
      let detail = unsafe reason.map { unsafe String(cString: $0) } ?? ""
      output.tell(.failed(.noReader, detail: detail))
      return notConfined
    }
    GuestReader.run(output.request, output: output, clock: .system)
    return 0
  }
}
