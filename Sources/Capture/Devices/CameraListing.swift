// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

extension Devices {
  /// Describes all video devices of `host`, ordered by number.
  /// - Parameter links: the stable links to device nodes, keyed by the path of the node.
  static func cameras(on host: any CameraHost, links: [String: String]) -> [CameraDescription] {
    host.nodes().map { path in
      var description = CameraDescription(path: path, stablePath: links[path])
      let device: any VideoDevice
      do throws(SystemError) { device = try host.open(path) } catch {
        description.set(CameraTrouble(opening: path, error))
        return description
      }
      if let identity = try? device.identity() {
        description.name = identity.card
        description.driver = identity.driver
        description.bus = identity.bus
      }
      do throws(CameraTrouble) {
        let node = try CameraNode(path: path, device: device)
        description.formats = node.formats.map {
          CameraFormatDescription($0.format, $0.description, of: device)
        }
        _ = try node.usableFormats()
        if node.identity.isPipelineNode {
          throw CameraTrouble.notConnected(path: path, name: node.identity.card)
        }
        if device.hasNoSignal() {
          throw CameraTrouble.noSignal(path: path, name: node.identity.card)
        }
        description.isUsable = true
      } catch {
        description.set(error)
      }
      return description
    }
  }
}

extension CameraDescription {
  /// Sets `problem` and `cause` to the reason why the camera cannot be used.
  fileprivate mutating func set(_ trouble: CameraTrouble) {
    (problem, cause) = (trouble.sentence, trouble.code)
  }
}

extension LinuxCameraHost {
  /// The links that udev makes to the video nodes, keyed by the path of the node. If a node has links in both folders,
  /// the link in /dev/v4l/by-id is used, not the one in /dev/v4l/by-path.
  static func links() -> [String: String] {
    var links: [String: String] = [:]
    for folder in ["/dev/v4l/by-path", "/dev/v4l/by-id"] {
      for name in File.names(in: folder).sorted(by: >) {
        let link = "\(folder)/\(name)"
        if let node = DeviceDirectory.resolve(link) { links[node] = link }
      }
    }
    return links
  }
}

extension CameraFormatDescription {
  /// Queries the sizes and the frame rates that `device` offers in a pixel format.
  init(_ format: FourCC, _ description: String, of device: any VideoDevice) {
    let use: Use =
      switch format.use {
      case .straight: .straight
      case .converted: .converted
      case .none: .none
      }
    self.init(
      fourcc: format.description, description: description, use: use,
      sizes: device.sizes(of: format).map { offer in
        switch offer {
        case .one(let size):
          CameraSizeDescription(
            width: size.width, height: size.height,
            rates: CameraFormatDescription.rates(device.intervals(of: format, at: size)))
        case .range(let minimum, let maximum, _):
          CameraSizeDescription(
            width: minimum.width, height: minimum.height, maxWidth: maximum.width,
            maxHeight: maximum.height,
            rates: CameraFormatDescription.rates(device.intervals(of: format, at: maximum)))
        }
      })
  }

  /// The frame rates of a list of intervals, rounded to two decimals, sorted from fast to slow, without duplicates. A
  /// range of intervals gives two rates, those of its shortest and its longest interval.
  static func rates(_ offers: [IntervalOffer]) -> [Double] {
    var rates: Set<Double> = []
    for offer in offers {
      let ends: [FrameInterval] =
        switch offer {
        case .one(let interval): [interval]
        case .range(let shortest, let longest): [shortest, longest]
        }
      for end in ends where end.framesPerSecond > 0 {
        rates.insert((end.framesPerSecond * 100).rounded() / 100)
      }
    }
    return rates.sorted(by: >)
  }
}
