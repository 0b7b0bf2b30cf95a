// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS
internal import Glibc
internal import Synchronization

/// The certificate authorities that servers are judged by: the system's, or those of a file.
///
/// Debian's are 139, take 4 MB and 20 ms on a PC. So they are loaded when first needed and kept for
/// all destinations.
@safe final class TLSRoots: @unchecked Sendable {
  /// Only ever read, as GnuTLS allows from several threads at once.
  let credentials: gnutls_certificate_credentials_t

  private static let kept = Mutex<[String: TLSRoots]>([:])

  private init(_ credentials: gnutls_certificate_credentials_t) {
    unsafe self.credentials = unsafe credentials
  }

  deinit { unsafe gnutls_certificate_free_credentials(credentials) }

  /// - Parameter file: PEM; "" for the system's.
  /// - Throws: `.rootsMissing`, if there is not one certificate.
  static func load(_ file: String) throws(PublishEnd) -> TLSRoots {
    if let roots = kept.withLock({ $0[file] }) { return roots }
    // The first RTMP_Init sets GnuTLS up.
    RTMPLibrary.ready
    var count = GNUTLS_E_FILE_ERROR
    let pem = file.isEmpty ? nil : contents(of: file)
    guard file.isEmpty || pem != nil,
      let credentials = unsafe onair_tls_roots(pem, pem?.count ?? 0, &count)
    else {
      throw .failed(.rootsMissing, said: count < 0 ? TLSSession.words(count) : "")
    }
    let roots = unsafe TLSRoots(credentials)
    kept.withLock { $0[file] = roots }
    return roots
  }

  /// As much as the check of the settings allows.
  private static let longestFile = 1 << 20

  /// What a regular file holds; `nil` if there is none, or it is too long. It has been looked at when the
  /// program began, but may be another by now: a pipe must not keep the stream waiting, nor a disk's
  /// image fill the memory.
  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= longestFile {
      let count = unsafe read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
    }
    return nil
  }

  /// Has them loaded anew next time: what was refused may be known by then.
  static func forget(_ file: String) { kept.withLock { $0[file] = nil } }
}
