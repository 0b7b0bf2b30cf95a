// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FakeServer
import Foundation

@testable import Publish

/// Debian's nginx with the RTMP module on a loopback port. It records all streams.
final class Nginx {
  let port: Int
  let folder: URL
  private var process: Process?

  private static let binary = "/usr/sbin/nginx"
  private static let module = "/usr/lib/nginx/modules/ngx_rtmp_module.so"

  /// - Parameter hook: the port of a web server that is asked before a stream is taken; `nil` for none.
  init(hook: Int? = nil) throws {
    for file in [Nginx.binary, Nginx.module]
    where !FileManager.default.fileExists(atPath: file) {
      throw MissingError(description: "\(file) is missing: apt-get install nginx libnginx-mod-rtmp")
    }
    port = try FakeServer.freePort()
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("onair-nginx-\(UUID().uuidString)")
    for name in ["record", "logs"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    let configuration = """
      load_module \(Nginx.module);
      daemon off;
      master_process off;
      pid logs/nginx.pid;
      error_log logs/error.log info;
      events { worker_connections 64; }
      rtmp {
        server {
          listen 127.0.0.1:\(port);
          application live {
            live on;
            record all;
            record_path record;
            record_unique off;
            \(hook.map { "on_publish http://127.0.0.1:\($0)/;" } ?? "")
          }
        }
      }
      """
    try configuration.write(
      to: folder.appendingPathComponent("nginx.conf"), atomically: true, encoding: .utf8)
    try start()
  }

  func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Nginx.binary)
    process.arguments = ["-p", folder.path, "-c", "nginx.conf", "-e", "logs/error.log"]
    process.currentDirectoryURL = folder
    try process.run()
    self.process = process
    let pid = folder.appendingPathComponent("logs/nginx.pid").path
    guard Rig.wait({ FileManager.default.fileExists(atPath: pid) || !process.isRunning }),
      process.isRunning
    else { throw MissingError(description: "nginx does not start: \(log)") }
  }

  /// Kills nginx, as a power cut would.
  func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder.appendingPathComponent("logs/nginx.pid"))
    self.process = nil
  }

  /// SIGSTOP freezes it, SIGCONT ends that.
  func signal(_ number: Int32) {
    if let process { Foundation.kill(process.processIdentifier, number) }
  }

  func end() {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  var log: String {
    (try? String(contentsOf: folder.appendingPathComponent("logs/error.log"), encoding: .utf8))
      ?? ""
  }

  /// Deletes the recording of a stream, so that a test finds only later data.
  func forget(_ key: String) throws {
    try FileManager.default.removeItem(at: folder.appendingPathComponent("record/\(key).flv"))
  }

  /// The complete tags of a recording (FLV 10.1, E.3 and E.4.1).
  func recorded(_ key: String) throws -> [Peer.Message] {
    let file = folder.appendingPathComponent("record/\(key).flv")
    let bytes = [UInt8](try Data(contentsOf: file))
    var tags: [Peer.Message] = []
    var position = 13
    while position + 11 <= bytes.count {
      let head = bytes[position..<position + 11].map { Int($0) }
      let size = head[1] << 16 | head[2] << 8 | head[3]
      let time = UInt32(head[7] << 24 | head[4] << 16 | head[5] << 8 | head[6])
      let end = position + 11 + size
      guard end + 4 <= bytes.count else { break }
      tags.append(
        Peer.Message(
          channel: 0, type: UInt8(head[0]), time: time, body: Array(bytes[position + 11..<end])))
      position = end + 4
    }
    return tags
  }
}
