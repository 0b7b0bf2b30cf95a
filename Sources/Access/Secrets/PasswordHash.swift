// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CArgon2

/// The hash of a password by argon2id (RFC 9106), with the salt and the cost that are needed to check a password
/// against it.
///
/// The text of a hash is a PHC string: "$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH".
struct PasswordHash: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The parameters of argon2id that decide how much memory and time a hash takes.
  struct Cost: Sendable, Equatable {
    /// The memory that a hash needs, in KiB.
    var memoryKiB: UInt32
    /// How many times the memory is passed over.
    var passes: UInt32
    /// The degree of parallelism.
    var lanes: UInt32

    /// The cost of new hashes: the least that OWASP's Password Storage Cheat Sheet recommends. A small board has no
    /// memory to spare.
    static let usual = Cost(memoryKiB: 19_456, passes: 2, lanes: 1)

    /// Whether a hash that is read from a file may have this cost. The limits allow the hashes of other programs, and
    /// none that would stall the box.
    var isAcceptable: Bool {
      (1...4).contains(lanes) && (8 * lanes...65_536).contains(memoryKiB)
        && (1...10).contains(passes)
    }
  }

  /// The memory for a hash cannot be allocated.
  struct NoMemoryError: Error {}

  /// The hash as a PHC string, as it is stored.
  let text: String
  /// The memory, passes and lanes with which the hash was made.
  private let cost: Cost
  /// The random bytes that were hashed with the password.
  private let salt: [UInt8]
  /// The result of argon2id.
  private let hash: [UInt8]

  /// Hashes a new password with a random salt. Takes tens to hundreds of milliseconds and 19 MiB.
  init(hashing password: String) throws(NoMemoryError) {
    var generator = SystemRandomNumberGenerator()
    cost = .usual
    salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    hash = try Self.argon2id(password, salt: salt, cost: cost, count: 32)
    text =
      "$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)"
      + "$\(Base64.encode(salt))$\(Base64.encode(hash))"
  }

  /// Reads a stored hash.
  /// - Parameter text: a PHC string.
  /// - Returns: `nil` if the text is no argon2id hash of version 19 with an acceptable cost.
  init?(text: String) {
    let fields = text.split(separator: "$", omittingEmptySubsequences: false)
    guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id", fields[2] == "v=19",
      let cost = Cost(fields[3]), cost.isAcceptable,
      let salt = Base64.decode(fields[4]), (8...64).contains(salt.count),
      let hash = Base64.decode(fields[5]), (16...64).contains(hash.count)
    else { return nil }
    (self.text, self.cost, self.salt, self.hash) = (text, cost, salt, hash)
  }

  /// Whether this is the hash of `password`. Takes as long as making a hash, whether the password is right or wrong.
  func matches(_ password: String) throws(NoMemoryError) -> Bool {
    let other = try Self.argon2id(password, salt: salt, cost: cost, count: hash.count)
    return Digest.areEqual(hash, other)
  }

  /// Hides the hash from logs: it can be attacked offline.
  var description: String { "(secret)" }

  /// Hides the hash from `dump` and from debuggers.
  var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Computes `count` bytes of argon2id from a password and a salt.
  static func argon2id(
    _ password: String, salt: [UInt8], cost: Cost, count: Int
  ) throws(NoMemoryError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    let bytes = Array(password.utf8)
    let status = unsafe argon2id_hash_raw(
      cost.passes, cost.memoryKiB, cost.lanes, bytes, bytes.count, salt, salt.count, &result, count)
    // The only possible error is a lack of memory: the parameters are valid here, and a single lane starts no threads.
    guard status == ARGON2_OK.rawValue else { throw NoMemoryError() }
    return result
  }
}

extension PasswordHash.Cost {
  /// Reads the cost in a PHC string.
  /// - Parameter text: the field with the cost, as in "m=19456,t=2,p=1".
  init?(_ text: Substring) {
    var numbers: [UInt32] = []
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 3 else { return nil }
    for (field, name) in zip(fields, ["m=", "t=", "p="]) {
      let digits = field.dropFirst(2)
      guard field.hasPrefix(name), let number = UInt32(digits), String(number) == digits else {
        return nil
      }
      numbers.append(number)
    }
    self.init(memoryKiB: numbers[0], passes: numbers[1], lanes: numbers[2])
  }
}
