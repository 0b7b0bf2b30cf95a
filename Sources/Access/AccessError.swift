// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// Why a login, a change of passwords or tokens, or the encryption or decryption of a file is refused. The error never
/// contains a secret.
public enum AccessError: Error, Hashable, Sendable {
  /// The password matches none of the accepted ones.
  case wrongPassword
  /// The attempt comes too early after wrong ones. `seconds` is the time to wait, at least 1.
  case tooManyAttempts(seconds: Int)
  /// The first password cannot be set, because the box has a password.
  case alreadySetUp
  /// The caller needs the code to set the first password, and has not given it.
  case codeNeeded
  /// The code for setting the first password is wrong.
  case wrongCode
  /// The new password is too short or too long.
  case unfitPassword
  /// The new password is among the first that an attacker would try.
  case simplePassword
  /// The owner's and the operator's password would be the same.
  case samePassword
  /// Too many requests wait for a password hash or for the disk, or too little memory is left.
  case busy
  /// The box has no password yet.
  case notSetUp
  /// The access file is there but cannot be used. `directory` holds the file; `reason` is a predicate for the file,
  /// such as "is damaged".
  case unreadable(directory: String, reason: String)
  /// The access file cannot be written, so nothing has changed. `directory` holds the file; `reason` is the system's
  /// error text.
  case notSaved(directory: String, reason: String)
  /// There is no token of the given name.
  case unknownToken
  /// There is a token of the given name already.
  case tokenExists
  /// The box has `Tokens.maxCount` tokens already.
  case tooManyTokens
  /// The name for a token is empty or too long, or contains other characters than letters, digits, "_" and "-".
  case unfitTokenName
  /// The passphrase for encrypting a settings file is too short or too long.
  case unfitPassphrase
  /// A settings file is encrypted with another passphrase, or was changed.
  case wrongPassphrase
  /// A settings file that should be decrypted is damaged, or was not made by `Access.seal`.
  case unreadableFile

  /// The error as a code for programs. The codes are part of the API: new ones may be added, but none may change.
  public var code: String {
    switch self {
    case .wrongPassword: "wrong_password"
    case .tooManyAttempts: "too_many_attempts"
    case .alreadySetUp: "already_set_up"
    case .codeNeeded: "code_needed"
    case .wrongCode: "wrong_code"
    case .unfitPassword: "unfit_password"
    case .simplePassword: "simple_password"
    case .samePassword: "same_password"
    case .busy: "busy"
    case .notSetUp: "not_set_up"
    case .unreadable: "access_unreadable"
    case .notSaved: "not_saved"
    case .unknownToken: "unknown_token"
    case .tokenExists: "token_exists"
    case .tooManyTokens: "too_many_tokens"
    case .unfitTokenName: "unfit_token_name"
    case .unfitPassphrase: "unfit_passphrase"
    case .wrongPassphrase: "wrong_passphrase"
    case .unreadableFile: "unreadable_file"
    }
  }

  /// What is wrong and what to do, for people.
  public var sentence: String {
    switch self {
    case .wrongPassword: "The password is wrong."
    case .tooManyAttempts(let seconds):
      "There were too many wrong attempts: try again in \(seconds) "
        + (seconds == 1 ? "second." : "seconds.")
        + " Meanwhile the box's button works, and so does the command line on the box (sudo onair pause)."
    case .alreadySetUp: "This box has a password already: log in with it."
    case .codeNeeded:
      "From outside the local network, through a proxy, or when the box has lost its password, setting the "
        + "first one needs the code that the box has written to its log. Or hold its main button for 10 s."
    case .wrongCode:
      "The code is wrong: use the newest one in the box's log. After \(SetUpCode.maxWrong) wrong "
        + "codes there is a new one."
    case .unfitPassword:
      "A password must have \(Passwords.lengths.lowerBound) to \(Passwords.lengths.upperBound) "
        + "characters."
    case .simplePassword:
      "This password is among the first that a stranger would try: choose another one, such as "
        + "three words that do not belong together."
    case .samePassword:
      "The owner's and the operator's password must not be the same: choose another one."
    case .busy: "Too many requests wait for the box at this moment: try again in a few seconds."
    case .notSetUp:
      "This box has no password yet: set one first (on the page, or by \"onair password\")."
    case .unreadable(let directory, let reason):
      "The file \(directory)/\(AccessFile.name), which holds the password, \(reason), so nobody is "
        + "let in: put back a copy of it and restart OnAir, or run \"sudo onair password --reset\" on "
        + "the box and set a new one."
    case .notSaved(let directory, let reason):
      "This cannot be saved in \(directory) (\(reason)), so nothing has changed: free some space "
        + "there, or make it writable."
    case .unknownToken: "There is no token of this name."
    case .tokenExists:
      "There is a token of this name already: remove it first, or choose another name."
    case .tooManyTokens:
      "There are \(Tokens.maxCount) tokens already: remove one that is not needed."
    case .unfitTokenName:
      "A token's name must have 1 to 32 characters, each a letter of a to z or A to Z, a digit, "
        + "\"_\" or \"-\"."
    case .unfitPassphrase:
      "A passphrase must have \(Passwords.lengths.lowerBound) to \(Passwords.lengths.upperBound) "
        + "characters."
    case .wrongPassphrase:
      "The passphrase is not the one that the file was saved with, or the file has been changed: try again, or take another "
        + "copy of it."
    case .unreadableFile:
      "This file of settings is damaged or not whole, or comes from a later OnAir: take another copy of it."
    }
  }
}
