#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""A NetworkManager without a network, on the bus of DBUS_SYSTEM_BUS_ADDRESS: a cable, a radio and three Wi-Fis.

It needs Debian's python3-dbus and python3-gi. A Wi-Fi is joined after a second, with the password of WIFIS.
"""

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.NetworkManager"
ROOT = "/org/freedesktop/NetworkManager"
# Name, password, strength, NM80211ApSecurityFlags.
WIFIS = (("Home", "home-password", 82, 0x108), ("Café", "", 55, 0), ("Office", "", 31, 0x208))
CONNECTING, CONNECTED, DISCONNECTED, FAILED, NO_SECRETS = 50, 100, 30, 120, 7


class Manager(dbus.service.FallbackObject):
    def __init__(self, bus):
        self.bus = bus
        self.name = dbus.service.BusName(NAME, bus)
        self.count = 0
        self.profiles = {}
        self.used = {}
        self.active = {}
        self.states = {"eth0": CONNECTED, "wlan0": DISCONNECTED}
        super().__init__(bus, "/org/freedesktop")
        self.activate(self.save({
            "connection": {"id": "Wired connection 1", "type": "802-3-ethernet"}, "ipv4": {"method": "auto"}}), "eth0")
        self.states["eth0"] = CONNECTED

    def path(self, kind):
        self.count += 1
        return dbus.ObjectPath(f"{ROOT}/{kind}/{self.count}")

    def save(self, settings):
        path = self.path("Settings")
        self.profiles[path] = settings
        return path

    def activate(self, profile, device):
        self.used[device], self.states[device] = profile, CONNECTING
        self.active[device] = self.path("ActiveConnection")
        GLib.timeout_add(1000, self.settle, device)
        return self.active[device]

    def settle(self, device):
        settings = self.profiles.get(self.used.get(device), {})
        name = bytes(settings.get("802-11-wireless", {}).get("ssid", b"")).decode()
        password = settings.get("802-11-wireless-security", {}).get("psk", "")
        wanted = {wifi[0]: wifi[1] for wifi in WIFIS}.get(name, password)
        if password == wanted:
            self.tell(device, CONNECTED, 0)
            self.states[device] = CONNECTED
        else:
            self.tell(device, FAILED, NO_SECRETS)
            self.leave(device)
        return False

    def leave(self, device):
        self.states[device] = DISCONNECTED
        self.used.pop(device, None)
        self.active.pop(device, None)

    def tell(self, device, state, reason):
        message = dbus.lowlevel.SignalMessage(f"{ROOT}/Devices/{device}", f"{NAME}.Device", "StateChanged")
        message.append(state, self.states[device], reason, signature="uuu")
        self.bus.send_message(message)

    # What OnAir asks.

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        none = dbus.ObjectPath("/")
        objects = {ROOT: {NAME: {"PrimaryConnection": self.active.get("eth0", none), "Connectivity": dbus.UInt32(4)}}}
        points = []
        for index, (name, password, strength, flags) in enumerate(WIFIS):
            points.append(dbus.ObjectPath(f"{ROOT}/AccessPoint/{index}"))
            objects[points[-1]] = {f"{NAME}.AccessPoint": {
                "Ssid": dbus.ByteArray(name.encode()), "Strength": dbus.Byte(strength), "Frequency": dbus.UInt32(2412),
                "Flags": dbus.UInt32(bool(flags)), "WpaFlags": dbus.UInt32(0), "RsnFlags": dbus.UInt32(flags)}}
        for device, kind in (("eth0", 1), ("wlan0", 2)):
            addresses = dbus.ObjectPath(f"{ROOT}/IP4Config/{device}")
            isConnected = self.states[device] == CONNECTED
            objects[f"{ROOT}/Devices/{device}"] = {f"{NAME}.Device": {
                "Interface": device, "DeviceType": dbus.UInt32(kind), "State": dbus.UInt32(self.states[device]),
                "Managed": True, "ActiveConnection": self.active.get(device, none),
                "Ip4Config": addresses if isConnected else none}}
            if isConnected:
                objects[addresses] = {f"{NAME}.IP4Config": {
                    "AddressData": dbus.Array([self.address(device)], signature="a{sv}"), "Gateway": "192.168.1.1",
                    "NameserverData": dbus.Array([{"address": "192.168.1.1"}], signature="a{sv}")}}
            if device in self.active:
                objects[self.active[device]] = {f"{NAME}.Connection.Active": {
                    "Connection": self.used[device], "State": dbus.UInt32(2),
                    "Devices": dbus.Array([dbus.ObjectPath(f"{ROOT}/Devices/{device}")], signature="o")}}
        objects[f"{ROOT}/Devices/wlan0"][f"{NAME}.Device.Wireless"] = {
            "AccessPoints": dbus.Array(points, signature="o")}
        for path in self.profiles:
            objects[path] = {f"{NAME}.Settings.Connection": {"Unsaved": False}}
        return objects

    def address(self, device):
        ip = self.profiles[self.used[device]].get("ipv4", {})
        if ip.get("method") == "manual":
            return ip["address-data"][0]
        return {"address": "192.168.1.20" if device == "eth0" else "192.168.7.20", "prefix": dbus.UInt32(24)}

    @dbus.service.method(f"{NAME}.Settings.Connection", out_signature="a{sa{sv}}", path_keyword="path")
    def GetSettings(self, path):
        return {group: {key: value for key, value in values.items() if key != "psk"}
                for group, values in self.profiles[path].items()}

    @dbus.service.method(f"{NAME}.Settings.Connection", "a{sa{sv}}ua{sv}", "a{sv}", path_keyword="path")
    def Update2(self, settings, _flags, _options, path):
        self.profiles[path] = settings
        return dbus.Dictionary({}, signature="sv")

    @dbus.service.method(f"{NAME}.Settings.Connection", path_keyword="path")
    def Delete(self, path):
        for device in [one for one, profile in self.used.items() if profile == path]:
            self.leave(device)
        del self.profiles[path]

    @dbus.service.method(f"{NAME}.Settings", "a{sa{sv}}", "o")
    def AddConnection(self, settings):
        return self.save(settings)

    @dbus.service.method(NAME, "ooo", "o")
    def ActivateConnection(self, profile, device, _specific):
        return self.activate(profile, device.split("/")[-1])

    @dbus.service.method(NAME, "a{sa{sv}}ooa{sv}", "ooa{sv}")
    def AddAndActivateConnection2(self, settings, device, _specific, _options):
        path = self.save(settings)
        return path, self.activate(path, device.split("/")[-1]), dbus.Dictionary({}, signature="sv")

    @dbus.service.method(NAME, "o")
    def DeactivateConnection(self, active):
        for device in [one for one, path in self.active.items() if path == active]:
            self.leave(device)

    @dbus.service.method(NAME, "aouu", "o")
    def CheckpointCreate(self, _devices, _seconds, _flags):
        self.saved = dict(self.profiles), dict(self.used), dict(self.active), dict(self.states)
        return self.path("Checkpoint")

    @dbus.service.method(NAME, "o", "a{su}")
    def CheckpointRollback(self, _checkpoint):
        self.profiles, self.used, self.active, self.states = self.saved
        return dbus.Dictionary({}, signature="su")

    @dbus.service.method(NAME, "o")
    def CheckpointDestroy(self, _checkpoint):
        self.saved = None

    @dbus.service.method(f"{NAME}.Device.Wireless", "a{sv}")
    def RequestScan(self, _options):
        pass


if __name__ == "__main__":
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    manager = Manager(dbus.SystemBus())
    GLib.MainLoop().run()
