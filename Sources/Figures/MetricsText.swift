// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A writer of metrics in Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
/// All values are in base units: seconds, bytes, ratios.
package struct MetricsText {
  /// The type of a metric.
  enum Kind: String { case counter, gauge }

  /// The value of a metric with one set of labels.
  struct Sample {
    var labels: [(name: String, value: String)] = []
    /// The number; `nil` if it is not known: the sample is then omitted.
    var value: Double?

    init(_ value: Double?, _ labels: (name: String, value: String)...) {
      self.labels = labels
      self.value = value
    }
  }

  /// The text of the metrics that were added.
  private(set) var text = ""

  /// Adds a metric with its samples. Adds nothing if no sample has a value.
  /// - Parameter help: the description of the metric, on one line and without a backslash.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard samples.contains(where: { $0.value != nil }) else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      guard let value = sample.value else { continue }
      let labels = sample.labels.map { "\($0.name)=\"\(MetricsText.escape($0.value))\"" }
      text += name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
      text += " \(MetricsText.number(value))\n"
    }
  }

  /// Adds a metric with one value and without labels; adds nothing if the value is `nil`.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
    add(name, kind, help, [Sample(value)])
  }

  /// A number as text in the form that Prometheus reads.
  private static func number(_ value: Double) -> String {
    // Whole numbers are written without ".0" and without an exponent.
    abs(value) < 1e15 && value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  /// The value of a label with backslashes, quotation marks and line breaks escaped.
  private static func escape(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
