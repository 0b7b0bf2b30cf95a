/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page and the description of the API. A new file needs two entries here: its bytes, and its line in the list. */
#include "cembedded.h"

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}

static const uint8_t access_js[] = {
#embed "../Page/Assets/access.js"
};
static const uint8_t api_js[] = {
#embed "../Page/Assets/api.js"
};
static const uint8_t app_js[] = {
#embed "../Page/Assets/app.js"
};
static const uint8_t backup_js[] = {
#embed "../Page/Assets/backup.js"
};
static const uint8_t box_js[] = {
#embed "../Page/Assets/box.js"
};
static const uint8_t broadcast_js[] = {
#embed "../Page/Assets/broadcast.js"
};
static const uint8_t calendar_js[] = {
#embed "../Page/Assets/calendar.js"
};
static const uint8_t chart_js[] = {
#embed "../Page/Assets/chart.js"
};
static const uint8_t charts_js[] = {
#embed "../Page/Assets/charts.js"
};
static const uint8_t control_js[] = {
#embed "../Page/Assets/control.js"
};
static const uint8_t dom_js[] = {
#embed "../Page/Assets/dom.js"
};
static const uint8_t dress_js[] = {
#embed "../Page/Assets/dress.js"
};
static const uint8_t en_json[] = {
#embed "../Page/Assets/en.json"
};
static const uint8_t engineer_en_json[] = {
#embed "../Page/Assets/engineer-en.json"
};
static const uint8_t engineer_zh_json[] = {
#embed "../Page/Assets/engineer-zh.json"
};
static const uint8_t engineer_js[] = {
#embed "../Page/Assets/engineer.js"
};
static const uint8_t entry_js[] = {
#embed "../Page/Assets/entry.js"
};
static const uint8_t extras_js[] = {
#embed "../Page/Assets/extras.js"
};
static const uint8_t figures_js[] = {
#embed "../Page/Assets/figures.js"
};
static const uint8_t first_js[] = {
#embed "../Page/Assets/first.js"
};
static const uint8_t flash_js[] = {
#embed "../Page/Assets/flash.js"
};
static const uint8_t fmp4_js[] = {
#embed "../Page/Assets/fmp4.js"
};
static const uint8_t form_js[] = {
#embed "../Page/Assets/form.js"
};
static const uint8_t guest_js[] = {
#embed "../Page/Assets/guest.js"
};
static const uint8_t guestform_js[] = {
#embed "../Page/Assets/guestform.js"
};
static const uint8_t guestinvite_js[] = {
#embed "../Page/Assets/guestinvite.js"
};
static const uint8_t guestlayout_js[] = {
#embed "../Page/Assets/guestlayout.js"
};
static const uint8_t guests_en_json[] = {
#embed "../Page/Assets/guests-en.json"
};
static const uint8_t guests_zh_json[] = {
#embed "../Page/Assets/guests-zh.json"
};
static const uint8_t guests_css[] = {
#embed "../Page/Assets/guests.css"
};
static const uint8_t guests_js[] = {
#embed "../Page/Assets/guests.js"
};
static const uint8_t guide_js[] = {
#embed "../Page/Assets/guide.js"
};
static const uint8_t help_zh_html[] = {
#embed "../Page/Assets/help-zh.html"
};
static const uint8_t help_css[] = {
#embed "../Page/Assets/help.css"
};
static const uint8_t help_html[] = {
#embed "../Page/Assets/help.html"
};
static const uint8_t icon_svg[] = {
#embed "../Page/Assets/icon.svg"
};
static const uint8_t images_js[] = {
#embed "../Page/Assets/images.js"
};
static const uint8_t index_html[] = {
#embed "../Page/Assets/index.html"
};
static const uint8_t layerfields_js[] = {
#embed "../Page/Assets/layerfields.js"
};
static const uint8_t layerform_js[] = {
#embed "../Page/Assets/layerform.js"
};
static const uint8_t layers_js[] = {
#embed "../Page/Assets/layers.js"
};
static const uint8_t lipsync_js[] = {
#embed "../Page/Assets/lipsync.js"
};
static const uint8_t lobby_js[] = {
#embed "../Page/Assets/lobby.js"
};
static const uint8_t log_js[] = {
#embed "../Page/Assets/log.js"
};
static const uint8_t look_js[] = {
#embed "../Page/Assets/look.js"
};
static const uint8_t machine_js[] = {
#embed "../Page/Assets/machine.js"
};
static const uint8_t media_js[] = {
#embed "../Page/Assets/media.js"
};
static const uint8_t meter_js[] = {
#embed "../Page/Assets/meter.js"
};
static const uint8_t missed_js[] = {
#embed "../Page/Assets/missed.js"
};
static const uint8_t moments_js[] = {
#embed "../Page/Assets/moments.js"
};
static const uint8_t monitor_js[] = {
#embed "../Page/Assets/monitor.js"
};
static const uint8_t music_js[] = {
#embed "../Page/Assets/music.js"
};
static const uint8_t network_js[] = {
#embed "../Page/Assets/network.js"
};
static const uint8_t next_js[] = {
#embed "../Page/Assets/next.js"
};
static const uint8_t page_css[] = {
#embed "../Page/Assets/page.css"
};
static const uint8_t picture_css[] = {
#embed "../Page/Assets/picture.css"
};
static const uint8_t picture_js[] = {
#embed "../Page/Assets/picture.js"
};
static const uint8_t place_js[] = {
#embed "../Page/Assets/place.js"
};
static const uint8_t platforms_js[] = {
#embed "../Page/Assets/platforms.js"
};
static const uint8_t platforms_json[] = {
#embed "../Page/Assets/platforms.json"
};
static const uint8_t player_js[] = {
#embed "../Page/Assets/player.js"
};
static const uint8_t quality_js[] = {
#embed "../Page/Assets/quality.js"
};
static const uint8_t reasons_js[] = {
#embed "../Page/Assets/reasons.js"
};
static const uint8_t record_js[] = {
#embed "../Page/Assets/record.js"
};
static const uint8_t recording_js[] = {
#embed "../Page/Assets/recording.js"
};
static const uint8_t recordings_en_json[] = {
#embed "../Page/Assets/recordings-en.json"
};
static const uint8_t recordings_zh_json[] = {
#embed "../Page/Assets/recordings-zh.json"
};
static const uint8_t recordings_css[] = {
#embed "../Page/Assets/recordings.css"
};
static const uint8_t recordings_js[] = {
#embed "../Page/Assets/recordings.js"
};
static const uint8_t relays_js[] = {
#embed "../Page/Assets/relays.js"
};
static const uint8_t schedule_en_json[] = {
#embed "../Page/Assets/schedule-en.json"
};
static const uint8_t schedule_zh_json[] = {
#embed "../Page/Assets/schedule-zh.json"
};
static const uint8_t schedule_css[] = {
#embed "../Page/Assets/schedule.css"
};
static const uint8_t schedule_js[] = {
#embed "../Page/Assets/schedule.js"
};
static const uint8_t settings_js[] = {
#embed "../Page/Assets/settings.js"
};
static const uint8_t setup_en_json[] = {
#embed "../Page/Assets/setup-en.json"
};
static const uint8_t setup_zh_json[] = {
#embed "../Page/Assets/setup-zh.json"
};
static const uint8_t setup_css[] = {
#embed "../Page/Assets/setup.css"
};
static const uint8_t setup_js[] = {
#embed "../Page/Assets/setup.js"
};
static const uint8_t sound_en_json[] = {
#embed "../Page/Assets/sound-en.json"
};
static const uint8_t sound_zh_json[] = {
#embed "../Page/Assets/sound-zh.json"
};
static const uint8_t sound_js[] = {
#embed "../Page/Assets/sound.js"
};
static const uint8_t sources_js[] = {
#embed "../Page/Assets/sources.js"
};
static const uint8_t stage_js[] = {
#embed "../Page/Assets/stage.js"
};
static const uint8_t state_js[] = {
#embed "../Page/Assets/state.js"
};
static const uint8_t steps_js[] = {
#embed "../Page/Assets/steps.js"
};
static const uint8_t stills_js[] = {
#embed "../Page/Assets/stills.js"
};
static const uint8_t strip_js[] = {
#embed "../Page/Assets/strip.js"
};
static const uint8_t thirds_js[] = {
#embed "../Page/Assets/thirds.js"
};
static const uint8_t update_js[] = {
#embed "../Page/Assets/update.js"
};
static const uint8_t uplink_js[] = {
#embed "../Page/Assets/uplink.js"
};
static const uint8_t welcome_js[] = {
#embed "../Page/Assets/welcome.js"
};
static const uint8_t why_js[] = {
#embed "../Page/Assets/why.js"
};
static const uint8_t words_js[] = {
#embed "../Page/Assets/words.js"
};
static const uint8_t zh_json[] = {
#embed "../Page/Assets/zh.json"
};
static const uint8_t zip_js[] = {
#embed "../Page/Assets/zip.js"
};
static const uint8_t openapi_yaml[] = {
#embed "../Page/API/openapi.yaml"
};

static const onair_file files[] = {
  FILE_OF("access.js", access_js),
  FILE_OF("api.js", api_js),
  FILE_OF("app.js", app_js),
  FILE_OF("backup.js", backup_js),
  FILE_OF("box.js", box_js),
  FILE_OF("broadcast.js", broadcast_js),
  FILE_OF("calendar.js", calendar_js),
  FILE_OF("chart.js", chart_js),
  FILE_OF("charts.js", charts_js),
  FILE_OF("control.js", control_js),
  FILE_OF("dom.js", dom_js),
  FILE_OF("dress.js", dress_js),
  FILE_OF("en.json", en_json),
  FILE_OF("engineer-en.json", engineer_en_json),
  FILE_OF("engineer-zh.json", engineer_zh_json),
  FILE_OF("engineer.js", engineer_js),
  FILE_OF("entry.js", entry_js),
  FILE_OF("extras.js", extras_js),
  FILE_OF("figures.js", figures_js),
  FILE_OF("first.js", first_js),
  FILE_OF("flash.js", flash_js),
  FILE_OF("fmp4.js", fmp4_js),
  FILE_OF("form.js", form_js),
  FILE_OF("guest.js", guest_js),
  FILE_OF("guestform.js", guestform_js),
  FILE_OF("guestinvite.js", guestinvite_js),
  FILE_OF("guestlayout.js", guestlayout_js),
  FILE_OF("guests-en.json", guests_en_json),
  FILE_OF("guests-zh.json", guests_zh_json),
  FILE_OF("guests.css", guests_css),
  FILE_OF("guests.js", guests_js),
  FILE_OF("guide.js", guide_js),
  FILE_OF("help-zh.html", help_zh_html),
  FILE_OF("help.css", help_css),
  FILE_OF("help.html", help_html),
  FILE_OF("icon.svg", icon_svg),
  FILE_OF("images.js", images_js),
  FILE_OF("index.html", index_html),
  FILE_OF("layerfields.js", layerfields_js),
  FILE_OF("layerform.js", layerform_js),
  FILE_OF("layers.js", layers_js),
  FILE_OF("lipsync.js", lipsync_js),
  FILE_OF("lobby.js", lobby_js),
  FILE_OF("log.js", log_js),
  FILE_OF("look.js", look_js),
  FILE_OF("machine.js", machine_js),
  FILE_OF("media.js", media_js),
  FILE_OF("meter.js", meter_js),
  FILE_OF("missed.js", missed_js),
  FILE_OF("moments.js", moments_js),
  FILE_OF("monitor.js", monitor_js),
  FILE_OF("music.js", music_js),
  FILE_OF("network.js", network_js),
  FILE_OF("next.js", next_js),
  FILE_OF("page.css", page_css),
  FILE_OF("picture.css", picture_css),
  FILE_OF("picture.js", picture_js),
  FILE_OF("place.js", place_js),
  FILE_OF("platforms.js", platforms_js),
  FILE_OF("platforms.json", platforms_json),
  FILE_OF("player.js", player_js),
  FILE_OF("quality.js", quality_js),
  FILE_OF("reasons.js", reasons_js),
  FILE_OF("record.js", record_js),
  FILE_OF("recording.js", recording_js),
  FILE_OF("recordings-en.json", recordings_en_json),
  FILE_OF("recordings-zh.json", recordings_zh_json),
  FILE_OF("recordings.css", recordings_css),
  FILE_OF("recordings.js", recordings_js),
  FILE_OF("relays.js", relays_js),
  FILE_OF("schedule-en.json", schedule_en_json),
  FILE_OF("schedule-zh.json", schedule_zh_json),
  FILE_OF("schedule.css", schedule_css),
  FILE_OF("schedule.js", schedule_js),
  FILE_OF("settings.js", settings_js),
  FILE_OF("setup-en.json", setup_en_json),
  FILE_OF("setup-zh.json", setup_zh_json),
  FILE_OF("setup.css", setup_css),
  FILE_OF("setup.js", setup_js),
  FILE_OF("sound-en.json", sound_en_json),
  FILE_OF("sound-zh.json", sound_zh_json),
  FILE_OF("sound.js", sound_js),
  FILE_OF("sources.js", sources_js),
  FILE_OF("stage.js", stage_js),
  FILE_OF("state.js", state_js),
  FILE_OF("steps.js", steps_js),
  FILE_OF("stills.js", stills_js),
  FILE_OF("strip.js", strip_js),
  FILE_OF("thirds.js", thirds_js),
  FILE_OF("update.js", update_js),
  FILE_OF("uplink.js", uplink_js),
  FILE_OF("welcome.js", welcome_js),
  FILE_OF("why.js", why_js),
  FILE_OF("words.js", words_js),
  FILE_OF("zh.json", zh_json),
  FILE_OF("zip.js", zip_js),
};
const onair_file *const onair_page_files = files;
const size_t onair_page_file_count = sizeof files / sizeof *files;

const onair_file onair_openapi = FILE_OF("openapi.yaml", openapi_yaml);
