// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc

extension Processors {
  /// The smallest share of the fastest processor's capacity at which a processor counts as fast. On boards with two
  /// kinds of cores, the slow ones have a third to a half.
  private static let leastShare = 0.6

  /// Restricts the calling thread, and the threads that it starts later, to the fast processors of a board with several
  /// kinds (big.LITTLE). An encoder that divides a frame among threads waits for the last of them, so one part on a
  /// slow processor would delay the whole frame. Changes nothing if all processors are alike or only one is fast.
  /// - Parameter folder: the folder with the kernel's files about each processor's capacity
  ///   (Documentation/ABI/testing/sysfs-devices-system-cpu, "cpu_capacity").
  /// - Returns: the number of processors that the calling thread may use afterwards.
  @discardableResult
  public static func avoidSlow(capacitiesIn folder: String = "/sys/devices/system/cpu") -> Int {
    var allowed = onair_processor_set()
    let count = Int(unsafe onair_processors(0, &allowed))
    guard count > 2 else { return count }
    var capacities: [Int32: Int] = [:]
    for number: Int32 in 0..<8_192 where capacities.count < count {
      guard unsafe onair_processor_is_in(&allowed, number) != 0 else { continue }
      // The file cpu_capacity exists only on machines with several kinds of processors.
      guard let capacity = capacity(in: "\(folder)/cpu\(number)/cpu_capacity") else { return count }
      capacities[number] = capacity
    }
    let fast = fast(of: capacities)
    guard fast.count < count else { return count }
    var set = onair_processor_set()
    for number in fast { unsafe onair_processor_add(&set, number) }
    return unsafe onair_use_processors(&set) == 0 ? fast.count : count
  }

  /// Selects the processors to encode on.
  /// - Parameter capacities: the capacity of each processor, by processor number.
  /// - Returns: the numbers of the fast processors; all numbers if fewer than two are fast.
  static func fast(of capacities: [Int32: Int]) -> [Int32] {
    let least = Double(capacities.values.max() ?? 0) * leastShare
    let fast = capacities.filter { Double($0.value) >= least }.keys.sorted()
    return fast.count < 2 ? capacities.keys.sorted() : fast
  }

  /// The capacity of a processor in a file of the kernel; `nil` if the file does not exist or has no positive number.
  private static func capacity(in path: String) -> Int? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
    let capacity = unsafe strtol(line, nil, 10)
    return capacity > 0 ? capacity : nil
  }
}
