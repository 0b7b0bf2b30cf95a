// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Testing

@testable import Access

struct PasswordThreadTests {
  @Test func passwordsAreHashedByAThreadThatGivesWay() async throws {
    let caller = pthread_self()
    let (isOther, niceness) = try await Passwords().thread.run {
      (pthread_equal(caller, pthread_self()) == 0, getpriority(PRIO_PROCESS_OF_THREAD, 0))
    }
    #expect(isOther)
    #expect(niceness == 19)
    #expect(getpriority(PRIO_PROCESS_OF_THREAD, 0) < 19)
  }

  @Test func manyAtOnceAreAnsweredOrRefused() async throws {
    let passwords = Passwords(urgency: .ordinary)
    let hash = try await passwords.hash(password)
    let answers = await withTaskGroup(of: Bool?.self) { group in
      for _ in 0..<40 {
        group.addTask { try? await passwords.verify(password, hash) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 40)
    #expect(!answers.contains(false))
    #expect(answers.count { $0 == true } >= Passwords.mostWaiting)
    #expect(try await !passwords.verify("incorrect horse", hash))
  }
}

/// PRIO_PROCESS, which Swift imports as another type than that of the parameter.
private let PRIO_PROCESS_OF_THREAD = __priority_which_t(PRIO_PROCESS.rawValue)
