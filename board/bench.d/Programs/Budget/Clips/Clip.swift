// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A file of raw I420 frames, which repeat.
///
/// It is mapped, so that a frame costs no more than its way through the pipe.
@safe final class Clip: FrameSource, @unchecked Sendable {
  let count: Int
  private let memory: UnsafeMutableRawBufferPointer

  init(_ path: String) throws {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Child.FailedError(description: "cannot read \(path)") }
    defer { close(file) }
    let bytes = Int(lseek(file, 0, SEEK_END))
    count = bytes / Scene.frameBytes
    // A private copy of the pages into which frame numbers are painted. The others are those of the page cache.
    guard count > 0, bytes.isMultiple(of: Scene.frameBytes),
      let start = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0),
      unsafe start != MAP_FAILED
    else { throw Child.FailedError(description: "\(path) has no whole frames") }
    unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: bytes)
    touch()
  }

  deinit { unsafe munmap(memory.baseAddress, memory.count) }

  @unsafe func frame(_ number: Int) -> UnsafeRawBufferPointer {
    unsafe frame(number % count, numbered: number)
  }

  /// - Parameters:
  ///   - index: of the clip's frame.
  ///   - number: is painted into it.
  @unsafe func frame(_ index: Int, numbered number: Int) -> UnsafeRawBufferPointer {
    let begin = index * Scene.frameBytes
    let bytes = unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[begin..<begin + Scene.frameBytes])
    unsafe FrameNumber.paint(number, into: bytes)
    return UnsafeRawBufferPointer(bytes)
  }

  /// Reads a byte of each page, so that neither the disk nor a page fault delays a frame.
  private func touch() {
    var sum = 0
    for place in unsafe stride(from: 0, to: memory.count, by: 4096) {
      sum &+= unsafe Int(memory[place])
    }
    // A byte's value that is used cannot be optimised away.
    precondition(sum >= 0)
  }
}

/// What is sent: one clip, or several with cuts between them.
struct Footage: FrameSource {
  /// "easy", "hard" or "mixed".
  let name: String
  let clips: [Clip]
  /// Frames from one cut to the next: 3.7 s, so that cuts and keyframes meet in a different way each time. A program whose
  /// keyframes fall on all cuts has an advantage that says nothing about it.
  private static let framesPerCut = 111

  /// Frames after which it repeats.
  var loop: Int { clips.count == 1 ? clips[0].count : Footage.framesPerCut * clips.count }

  @unsafe func frame(_ number: Int) -> UnsafeRawBufferPointer {
    guard clips.count > 1 else { return unsafe clips[0].frame(number) }
    let (cut, index) = number.quotientAndRemainder(dividingBy: Footage.framesPerCut)
    return unsafe clips[cut % clips.count].frame(index, numbered: number)
  }
}
