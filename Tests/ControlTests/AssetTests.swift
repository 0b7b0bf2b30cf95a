// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import Page

@Suite struct AssetTests {
  /// A file that is forgotten in the list would be missing on the page.
  @Test func allFilesOfThePageAreServed() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Page/Assets")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Asset.all.map(\.name) == names.sorted())
    for asset in Asset.all {
      #expect(asset.type != "application/octet-stream", "\(asset.name)")
      let text = try String(contentsOf: folder.appending(path: asset.name), encoding: .utf8)
      let isShortened = asset.name.hasSuffix(".js") || asset.name.hasSuffix(".css")
      let served =
        isShortened
        ? text.replacing(/(?m)^ +/, with: "")
          .replacing(
            /(?m)^(?:\/\/(?! SPDX-).*|\/\*(?:(?!\*\/).)*\*\/|\/\*\*(?:(?!\*\/)[\s\S])*\*\/)$/
          ) { String(repeating: "\n", count: $0.output.count { $0 == "\n" }) }
        : asset.name.hasSuffix(".json") ? text.replacing("\n", with: "") : text
      let sent =
        asset.name.hasSuffix(".css")
        ? served.replacing(/(?m)^(?!SPDX-).+$/) {
          $0.output.replacing(/([{;,:])[ ]/) { $0.output.1 }.replacing(/[ ]([{}])/) { $0.output.1 }
        }
        : asset.name.hasSuffix(".js")
          ? served.replacing(/(?m)^[^`'\/\\\n]+$/) { denseScript(String($0.output)) } : served
      #expect(String(decoding: asset.contents.bytes, as: UTF8.self) == sent, "\(asset.name)")
    }
    #expect(Set(Asset.all.map(\.contents.tag)).count == names.count)
  }

  /// A line of a script without the spaces beside its punctuation, outside of its strings.
  private func denseScript(_ line: String) -> String {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count % 2 == 1 else { return line }
    return parts.enumerated().map { index, part in
      index % 2 == 1
        ? String(part)
        : String(part).replacing(/([,;:{}()=?&|<>\[\]])[ ]/) { $0.output.1 }
          .replacing(/[ ]([,;:{}()=?&|<>\[\]])/) { $0.output.1 }
    }.joined(separator: "\"")
  }

  /// Spaces beside punctuation cost a phone time, too. Those in strings, and in what may be a string, stay.
  @Test func scriptsAreServedWithoutNeedlessSpaces() {
    let written = """
      const f = ({ a, b }) => (a ?? b ? [a, - b] : "a ( b ) = " + g(a && - -b));
      const text = `${ a } , ${ b }`;
      const word = 'a , b', "one , two"
      if (/ , /.test(a)) return a / (b - c);
      say("a \\" , b");
      let odd = " ,
      """
    let served = """
      const f=({a,b})=>(a??b?[a,- b]:"a ( b ) = " + g(a&&- -b));
      const text = `${ a } , ${ b }`;
      const word = 'a , b', "one , two"
      if (/ , /.test(a)) return a / (b - c);
      say("a \\" , b");
      let odd = " ,
      """
    #expect(String(decoding: Asset.shortened(Array(written.utf8)), as: UTF8.self) == served)
  }

  /// Comments cost a phone time, and the numbers of lines stay those that an engineer reads.
  @Test func scriptsAreServedWithoutComments() {
    let written = """
      // SPDX-License-Identifier: GPL-3.0-or-later
      // Why.
      const a = "// no comment"; // This one stays.
        /** A function. */
        /* One */ b(); /* and another */
        /**
         * Another function,
         * for which there is more to say.
         */
      c(); /**
       d */
      /**
       */ e();
      /*/
      */
      """
    let served = """
      // SPDX-License-Identifier: GPL-3.0-or-later

      const a = "// no comment"; // This one stays.

      /* One */ b(); /* and another */




      c(); /**
      d */
      /**
      */ e();
      /*/
      */
      """
    #expect(String(decoding: Asset.shortened(Array(written.utf8)), as: UTF8.self) == served)
  }
}
