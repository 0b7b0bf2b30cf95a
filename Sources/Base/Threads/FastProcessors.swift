// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

extension Processors {
  /// A processor with less of the fastest one's capacity is a slow one: on boards with two kinds the slow ones have a third
  /// to a half.
  private static let leastShare = 0.6

  /// Keeps the calling thread, and the threads that it starts later, off the slow processors of a board with several kinds
  /// (big.LITTLE). An encoder that divides a frame among threads waits for the last of them, so one part on a slow
  /// processor would delay the whole frame. Does nothing where all are alike or only one is fast.
  /// - Parameter folder: where the kernel tells each processor's capacity
  ///   (Documentation/ABI/testing/sysfs-devices-system-cpu, "cpu_capacity").
  /// - Returns: how many processors the thread may use.
  @discardableResult
  public static func avoidSlow(capacitiesIn folder: String = "/sys/devices/system/cpu") -> Int {
    var allowed = onair_processor_set()
    let count = Int(unsafe onair_processors(0, &allowed))
    guard count > 2 else { return count }
    var capacities: [Int32: Int] = [:]
    for number: Int32 in 0..<8_192 where capacities.count < count {
      guard unsafe onair_processor_is_in(&allowed, number) != 0 else { continue }
      // The kernel tells it only where there are several kinds.
      guard let capacity = capacity(in: "\(folder)/cpu\(number)/cpu_capacity") else { return count }
      capacities[number] = capacity
    }
    let fast = fast(of: capacities)
    guard fast.count < count else { return count }
    var set = onair_processor_set()
    for number in fast { unsafe onair_processor_add(&set, number) }
    return unsafe onair_use_processors(&set) == 0 ? fast.count : count
  }

  /// - Parameter capacities: of each processor, by its number.
  /// - Returns: the processors to encode on: all, if fewer than two are fast.
  static func fast(of capacities: [Int32: Int]) -> [Int32] {
    let least = Double(capacities.values.max() ?? 0) * leastShare
    let fast = capacities.filter { Double($0.value) >= least }.keys.sorted()
    return fast.count < 2 ? capacities.keys.sorted() : fast
  }

  private static func capacity(in path: String) -> Int? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
    let capacity = unsafe strtol(line, nil, 10)
    return capacity > 0 ? capacity : nil
  }
}
