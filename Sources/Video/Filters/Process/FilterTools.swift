// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CProcess
internal import Glibc
internal import Posix

/// The launcher of filters, and the folders in which their programs are.
///
/// A filter sees each frame, so nobody but the owner of the machine may decide which programs run as filters: neither
/// somebody who knows the page's password nor somebody who has taken over OnAir. A setting therefore names a file in
/// one of `folders` and not a path, and the file is used only if OnAir's own user can change neither it nor its folder.
/// Only the folder in the variable ONAIR_FILTERS may belong to that user.
public struct FilterTools: Sendable {
  /// The environment variable that adds a folder of filters, for those who write a filter.
  static let variable = "ONAIR_FILTERS"

  /// The path of the program that confines itself and then runs a filter.
  let launcher: String
  /// The folders of outside filters, in the order in which they are searched.
  let folders: [Folder]
  /// Whether filters may write to OnAir's standard error.
  let keepsErrors: Bool
  /// Whether the kernel keeps filters away from OnAir's files.
  let hasLandlock: Bool

  /// A folder of outside filters.
  struct Folder: Sendable {
    var path: String
    /// Whether the filters in the folder may be owned by the user who runs OnAir; if `false`, only by root.
    var isOwn: Bool
  }

  public init() {
    let own = unsafe getenv(FilterTools.variable).map { unsafe String(cString: $0) } ?? ""
    self.init(launcher: FilterTools.findLauncher(), own: own.isEmpty ? nil : own)
  }

  /// - Parameter own: the path of a folder of filters that may belong to the user who runs OnAir; `nil` for none.
  init(launcher: String, own: String?, hasLandlock: Bool = kernelHasLandlock) {
    self.launcher = launcher
    self.hasLandlock = hasLandlock
    keepsErrors = own != nil
    folders =
      (own.map { [Folder(path: $0, isOwn: true)] } ?? [])
      + ["/usr/local/lib/onair/filters", "/usr/lib/onair/filters"].map {
        Folder(path: $0, isOwn: false)
      }
  }

  /// Whether this kernel can keep a program away from files (landlock(7)).
  public static let kernelHasLandlock = onair_has_landlock() != 0

  /// The warning, for the owner of a box whose kernel has no Landlock, that the program of a filter is not confined.
  /// - Parameter name: the name of the filter.
  public static func unconfinedWarning(_ name: String) -> String {
    "The program of the filter \"\(name)\" can read OnAir's files, the stream key among them, since this "
      + "kernel has no Landlock. Use it only if you trust it, or use a kernel of Linux 5.13 or newer with "
      + "CONFIG_SECURITY_LANDLOCK=y and \"landlock\" in CONFIG_LSM."
  }

  /// The path of the launcher: beside this program, as in a build folder, or else where the package puts it.
  private static func findLauncher() -> String {
    let name = "onair-filter"
    var target = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe readlink("/proc/self/exe", &target, target.count)
    if count > 0, count < target.count {
      let program = String(decoding: target.prefix(count), as: UTF8.self)
      let folder = program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex)
      let path = "\(folder)/\(name)"
      if unsafe access(path, X_OK) == 0 { return path }
    }
    return "/usr/lib/onair/\(name)"
  }

  /// The path of an outside filter.
  /// - Throws: the reason why the filter cannot be used.
  func path(of name: String) throws(FilterFault) -> String {
    guard FilterTools.isName(name) else { throw FilterFault("has no program: name one") }
    for folder in folders {
      let path = "\(folder.path)/\(name)"
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw FilterFault("cannot use \(path): it is no regular file")
      }
      try check(path, status, isOwn: folder.isOwn)
      // Check the folder and those above it, too: whoever can write to one of them can replace the file.
      var above = folder.path
      while !above.isEmpty, above != "/" {
        guard unsafe lstat(above, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
          throw FilterFault("cannot use \(path): \(above) is no folder, or a link to one")
        }
        // The folders above a folder of this user are not checked: this user's folder may be in /tmp, to which
        // everybody can write, but whose sticky bit protects the folders in it.
        if !folder.isOwn || above == folder.path {
          try check(above, status, isOwn: folder.isOwn)
        }
        above = String(above[..<(above.lastIndex(of: "/") ?? above.startIndex)])
      }
      return path
    }
    throw FilterFault(
      "needs the program \(name), which is in none of these folders: "
        + folders.map(\.path).joined(separator: ", "))
  }

  /// Whether a text can be the name of an outside filter: 1 to 64 letters, digits, "-", "_" and ".", no "." first.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.first != "."
      && text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// Throws if anybody but root can change a file or folder. If `isOwn` is true, OnAir's own user may change it, too.
  private func check(_ path: String, _ status: stat, isOwn: Bool) throws(FilterFault) {
    guard status.st_uid == 0 || isOwn && status.st_uid == geteuid() else {
      throw FilterFault("cannot use \(path): its owner is not root. sudo chown root: \(path)")
    }
    let byGroup = status.st_mode & S_IWGRP != 0 && status.st_gid != 0 && isMember(status.st_gid)
    guard status.st_mode & S_IWOTH == 0, !byGroup else {
      throw FilterFault(
        "cannot use \(path): others than root can change it. sudo chmod go-w \(path)")
    }
  }

  /// Whether this process belongs to a group of users; `true` if that cannot be found out.
  private func isMember(_ group: gid_t) -> Bool {
    var groups = [gid_t](repeating: 0, count: 256)
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return group == getegid() || count < 0 || groups.prefix(Int(count)).contains(group)
  }
}

/// Why a filter cannot be started, in words that follow "The filter … is off: it".
struct FilterFault: Error, Equatable {
  /// The reason in words that follow "The filter … is off: it".
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
