// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Events

@Suite struct LocalNetworkTests {
  private static let routes = """
    Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
    wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
    eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
    eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
    """
  private static let routes6 = """
    fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
    00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003     eth1
    00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
    """

  @Test func theDefaultRouteIsFound() {
    #expect(LocalNetwork.defaultInterface(v4: Self.routes, v6: Self.routes6) == "eth0")
    #expect(LocalNetwork.defaultInterface(v4: "", v6: Self.routes6) == "eth1")
    #expect(LocalNetwork.defaultInterface(v4: "Iface", v6: "") == nil)
    #expect(LocalNetwork.defaultInterface(v4: "a\n\u{0}\n\t\t", v6: "x y z") == nil)
  }

  @Test func theSignalIsThatOfTheInterface() {
    let table = """
      Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
       face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
       wlan0: 0000   38.  -72.  -256        0      0      0      0      0        0
      """
    #expect(LocalNetwork.signal(of: "wlan0", table) == -72)
    #expect(LocalNetwork.signal(of: "eth0", table) == nil)
    #expect(LocalNetwork.signal(of: "wlan0", "wlan0:") == nil)
  }
}
