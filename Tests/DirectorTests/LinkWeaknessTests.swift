// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Director

@Suite struct LinkWeaknessTests {
  @Test(arguments: [
    (LinkEvidence(hasWayOut: false, signalDBm: nil, heldBackShare: 0.9), LinkWeakness.box),
    (LinkEvidence(hasWayOut: true, signalDBm: nil, heldBackShare: 0.9), .platform),
    (LinkEvidence(hasWayOut: true, signalDBm: -82, heldBackShare: 0.1), .box),
    (LinkEvidence(hasWayOut: true, signalDBm: -60, heldBackShare: 0.1), .way),
    (LinkEvidence(hasWayOut: true, signalDBm: nil, heldBackShare: 0), .way),
  ]) func thePartIsNamed(evidence: LinkEvidence, weakness: LinkWeakness) {
    #expect(LinkWeakness(evidence) == weakness)
    let sentence = weakness.sentence(evidence, host: "live.example.org")
    #expect(sentence.contains("live.example.org") == (weakness != .box))
    #expect(sentence.contains("dBm") == (evidence.signalDBm == -82))
  }
}
