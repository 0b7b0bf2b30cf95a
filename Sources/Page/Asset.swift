// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A file of the page, part of the program.
public struct Asset: Sendable {
  /// "app.js".
  public let name: String
  public let bytes: [UInt8]
  /// Media type (RFC 9110, section 8.3).
  public let type: String
  /// Strong entity tag (RFC 9110, section 8.8.3): another one for other bytes.
  public let tag: String

  init(_ name: String, _ written: [UInt8]) {
    self.name = name
    let suffix = name.split(separator: ".").last.map(String.init) ?? ""
    bytes = ["js", "css"].contains(suffix) ? Asset.withoutIndentation(written) : written
    type = Asset.types[suffix] ?? "application/octet-stream"
    // FNV-1a (RFC 9923): it has to tell versions apart, not to resist anybody.
    let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    tag = "\"\(String(hash, radix: 16))\""
  }

  /// A script or style as a browser reads it: a phone loads a twentieth less. No text in them has more than one line.
  static func withoutIndentation(_ written: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(written.count)
    var isIndentation = true
    for byte in written {
      if isIndentation, byte == UInt8(ascii: " ") { continue }
      isIndentation = byte == UInt8(ascii: "\n")
      bytes.append(byte)
    }
    return bytes
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "json": "application/json; charset=utf-8",
    "svg": "image/svg+xml", "yaml": "application/yaml; charset=utf-8",
  ]

  /// The description of the API.
  public static let openAPI = Asset("openapi.yaml", PackageResources.openapi_yaml)

  /// All files of the page.
  public static let all: [Asset] = [
    Asset("access.js", PackageResources.access_js),
    Asset("api.js", PackageResources.api_js),
    Asset("app.js", PackageResources.app_js),
    Asset("backup.js", PackageResources.backup_js),
    Asset("box.js", PackageResources.box_js),
    Asset("broadcast.js", PackageResources.broadcast_js),
    Asset("chart.js", PackageResources.chart_js),
    Asset("charts.js", PackageResources.charts_js),
    Asset("control.js", PackageResources.control_js),
    Asset("dom.js", PackageResources.dom_js),
    Asset("en.json", PackageResources.en_json),
    Asset("engineer.js", PackageResources.engineer_js),
    Asset("extras.js", PackageResources.extras_js),
    Asset("figures.js", PackageResources.figures_js),
    Asset("first.js", PackageResources.first_js),
    Asset("fmp4.js", PackageResources.fmp4_js),
    Asset("form.js", PackageResources.form_js),
    Asset("guide.js", PackageResources.guide_js),
    Asset("help-zh.html", PackageResources.help_zh_html),
    Asset("help.css", PackageResources.help_css),
    Asset("help.html", PackageResources.help_html),
    Asset("icon.svg", PackageResources.icon_svg),
    Asset("index.html", PackageResources.index_html),
    Asset("log.js", PackageResources.log_js),
    Asset("look.js", PackageResources.look_js),
    Asset("loudness.js", PackageResources.loudness_js),
    Asset("machine.js", PackageResources.machine_js),
    Asset("media.js", PackageResources.media_js),
    Asset("meter.js", PackageResources.meter_js),
    Asset("monitor.js", PackageResources.monitor_js),
    Asset("network.js", PackageResources.network_js),
    Asset("page.css", PackageResources.page_css),
    Asset("platforms.js", PackageResources.platforms_js),
    Asset("platforms.json", PackageResources.platforms_json),
    Asset("player.js", PackageResources.player_js),
    Asset("quality.js", PackageResources.quality_js),
    Asset("relays.js", PackageResources.relays_js),
    Asset("settings.js", PackageResources.settings_js),
    Asset("setup.css", PackageResources.setup_css),
    Asset("setup.js", PackageResources.setup_js),
    Asset("sources.js", PackageResources.sources_js),
    Asset("state.js", PackageResources.state_js),
    Asset("steps.js", PackageResources.steps_js),
    Asset("stills.js", PackageResources.stills_js),
    Asset("update.js", PackageResources.update_js),
    Asset("uplink.js", PackageResources.uplink_js),
    Asset("welcome.js", PackageResources.welcome_js),
    Asset("why.js", PackageResources.why_js),
    Asset("words.js", PackageResources.words_js),
    Asset("zh.json", PackageResources.zh_json),
    Asset("zip.js", PackageResources.zip_js),
  ]
}
