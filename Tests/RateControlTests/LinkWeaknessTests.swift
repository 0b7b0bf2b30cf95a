// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import RateControl

@Suite struct LinkWeaknessTests {
  @Test(arguments: [
    (LinkEvidence(hasRoute: false, signalDBm: nil, receiverLimitedShare: 0.9), LinkWeakness.box),
    (LinkEvidence(hasRoute: true, signalDBm: nil, receiverLimitedShare: 0.9), .platform),
    (LinkEvidence(hasRoute: true, signalDBm: -82, receiverLimitedShare: 0.1), .box),
    (LinkEvidence(hasRoute: true, signalDBm: -60, receiverLimitedShare: 0.1), .path),
    (LinkEvidence(hasRoute: true, signalDBm: nil, receiverLimitedShare: 0), .path),
  ]) func thePartIsNamed(evidence: LinkEvidence, weakness: LinkWeakness) {
    #expect(LinkWeakness(evidence) == weakness)
    let sentence = weakness.sentence(evidence, host: "live.example.org")
    #expect(sentence.contains("live.example.org") == (weakness != .box))
    #expect(sentence.contains("dBm") == (evidence.signalDBm == -82))
  }
}
