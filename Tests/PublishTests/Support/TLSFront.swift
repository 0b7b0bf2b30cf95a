// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FakeServer
import Foundation

@testable import Publish

/// nginx as a TLS proxy: a loopback port, on IPv4 and IPv6, for each certificate of Tests/certificates.
final class TLSFront {
  private let ports: [String: Int]
  private let folder: URL
  private let process = Process()

  private static let module = "/usr/lib/nginx/modules/ngx_stream_module.so"

  /// - Parameters:
  ///   - server: the port of the server behind it.
  ///   - names: names of certificates.
  ///   - versions: TLS versions as nginx names them.
  ///   - ciphers: as OpenSSL names them.
  init(
    before server: Int, _ names: [String], versions: String = "TLSv1.2 TLSv1.3",
    ciphers: String = "DEFAULT"
  ) throws {
    guard FileManager.default.fileExists(atPath: TLSFront.module) else {
      throw MissingError(description: "apt-get install nginx libnginx-mod-stream gnutls-bin")
    }
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("onair-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let maker = Process()
    maker.executableURL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("certificates")
    maker.arguments = [folder.path]
    try maker.run()
    maker.waitUntilExit()
    guard maker.terminationStatus == 0 else {
      throw MissingError(description: "Tests/certificates fails: apt-get install gnutls-bin")
    }
    var ports: [String: Int] = [:]
    var servers = ""
    for name in names {
      let port = try FakeServer.freePort()
      ports[name] = port
      servers += """
          server {
            listen 127.0.0.1:\(port) ssl;
            listen [::1]:\(port) ssl;
            ssl_certificate \(name).pem;
            ssl_certificate_key \(name).key;
            ssl_protocols \(versions);
            ssl_ciphers \(ciphers):@SECLEVEL=0;
            proxy_pass 127.0.0.1:\(server);
          }

        """
    }
    self.ports = ports
    let configuration = """
      load_module \(TLSFront.module);
      daemon off;
      master_process off;
      pid nginx.pid;
      error_log error.log info;
      events { worker_connections 64; }
      stream {
      \(servers)
      }
      """
    try configuration.write(
      to: folder.appendingPathComponent("nginx.conf"), atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
    process.arguments = ["-p", folder.path, "-c", "nginx.conf", "-e", "error.log"]
    try process.run()
    let pid = folder.appendingPathComponent("nginx.pid").path
    let process = self.process
    guard Rig.wait({ FileManager.default.fileExists(atPath: pid) || !process.isRunning }),
      process.isRunning
    else { throw MissingError(description: "nginx does not start: \(log)") }
  }

  /// The port of a certificate.
  func port(_ name: String) -> Int { ports[name] ?? 0 }

  /// The path of a certificate.
  func file(_ name: String) -> String { folder.appendingPathComponent("\(name).pem").path }

  /// The path of its key.
  func key(_ name: String) -> String { folder.appendingPathComponent("\(name).key").path }

  var log: String {
    (try? String(contentsOf: folder.appendingPathComponent("error.log"), encoding: .utf8)) ?? ""
  }

  /// Kills nginx, as a power cut would.
  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
