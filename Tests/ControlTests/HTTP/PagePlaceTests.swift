// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import Settings
import Testing

@testable import Control

@Suite struct PagePlaceTests {
  @Test(arguments: [
    ("127.0.0.1:8080", ["192.168.1.5"], "The page is at http://127.0.0.1:8080/."),
    ("[::1]:9000", [], "The page is at http://[::1]:9000/."),
    ("192.168.1.5:80", ["10.0.0.2"], "The page is at http://192.168.1.5/."),
    (
      "0.0.0.0:80", ["192.168.1.5", "10.0.0.2"],
      "The page is at http://192.168.1.5/, on this machine at http://127.0.0.1/."
    ),
    (
      "[::]:8080", [],
      "The page is at http://127.0.0.1:8080/, and on the network as soon as there is one."
    ),
  ]) func thePlaceIsTold(_ listen: String, _ addresses: [String], _ sentence: String) throws {
    let configuration = try Configuration.load(
      file: nil, overrides: ["page.listen=\(listen)"], environment: [:])
    let address = try #require(configuration.settings.page.listen)
    #expect(address.sentence(addresses) == sentence)
  }

  @Test func addressesAreOfNetworks() {
    #expect(
      Host.addresses.allSatisfy { !$0.hasPrefix("127.") && $0.split(separator: ".").count == 4 })
    #expect(!Host.timeZone.isEmpty && !Host.timeZone.hasPrefix("/"))
  }
}
