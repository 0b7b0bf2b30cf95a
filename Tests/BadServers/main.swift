// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs every server of the table on loopback until a signal, and prints a line for each, its columns
// separated by tabs: name, address, codes (-: none, it takes the stream), gist, milliseconds of the
// step's deadline (0: at once), retry, load. Then an empty line.

import FakeServer
import Glibc
import Publish

let deadlines = RTMPDeadlines()
let running = try BadServer.all.map { server in (server, try server.run()) }
for (server, place) in running {
  let host = place.host.contains(":") ? "[\(place.host)]" : place.host
  let columns = [
    server.name, "rtmp://\(host):\(place.port)/live",
    server.codes.isEmpty ? "-" : server.codes.joined(separator: "|"), server.gist,
    "\((server.step.map { deadlines.nanos($0) } ?? 0) / 1_000_000)",
    server.retry.rawValue, server.load.rawValue,
  ]
  print(columns.joined(separator: "\t"))
}
print("")
fflush(nil)
while true { pause() }
