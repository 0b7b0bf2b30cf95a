/*
 * SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "cjpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

/* Has to follow jpeglib.h, whose macros it uses. */
#include <jerror.h>

/* Maximum number of scans: a progressive image may have thousands, each of which takes as long as a whole image. */
enum { MOST_SCANS = 500 };
/* Maximum number of rows of one channel in a row of blocks: a sampling factor is at most 4. */
enum { MOST_ROWS = MAX_SAMP_FACTOR * DCTSIZE };

struct onair_jpeg {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf failed;
  /* Whether libjpeg has filled in a part of the picture that is missing or damaged. */
  int is_damaged;
  /* Whether the bytes have ended before the end marker. */
  int has_ended;
  /* A row that receives the samples below the picture, which are not needed. */
  JSAMPLE *spare;
  size_t spare_bytes;
  /* A row of four channels, before its conversion. */
  JSAMPLE *inks;
};

static onair_jpeg *owner(j_common_ptr decoder) { return decoder->client_data; }

static void fail(j_common_ptr decoder) { longjmp(owner(decoder)->failed, 1); }

/* Sorts libjpeg's warnings. Some mean that a part of the image is missing, wrong or moved. Others only concern how the
 * file was written: surplus bytes before a marker, unusual numbers in a header, or no end marker. JWRN_HIT_MARKER shows
 * that blocks are missing, too. */
static void warn(j_common_ptr decoder, int level) {
  if (level >= 0) return;
  decoder->err->num_warnings++;
  switch (decoder->err->msg_code) {
  case JWRN_HIT_MARKER:
  case JWRN_HUFF_BAD_CODE:
  case JWRN_ARITH_BAD_CODE:
  case JWRN_MUST_RESYNC:
    owner(decoder)->is_damaged = 1;
    break;
  default:
    break;
  }
}

static void say_nothing(j_common_ptr decoder) { (void)decoder; }

static void do_nothing(j_decompress_ptr decoder) { (void)decoder; }

/* Inserts an end marker when the data has ended, as libjpeg recommends. */
static boolean end(j_decompress_ptr decoder) {
  static const JOCTET marker[] = {0xFF, JPEG_EOI};
  owner((j_common_ptr)decoder)->has_ended = 1;
  decoder->src->next_input_byte = marker;
  decoder->src->bytes_in_buffer = sizeof marker;
  return TRUE;
}

static void skip(j_decompress_ptr decoder, long count) {
  if (count <= 0) return;
  if ((size_t)count >= decoder->src->bytes_in_buffer) {
    end(decoder);
    return;
  }
  decoder->src->next_input_byte += count;
  decoder->src->bytes_in_buffer -= (size_t)count;
}

static void count_scans(j_common_ptr decoder) {
  if (((j_decompress_ptr)decoder)->input_scan_number > MOST_SCANS) fail(decoder);
}

onair_jpeg *onair_jpeg_new(void) {
  onair_jpeg *jpeg = calloc(1, sizeof *jpeg);
  if (!jpeg) return NULL;
  jpeg->decoder.err = jpeg_std_error(&jpeg->errors);
  jpeg->decoder.client_data = jpeg;
  jpeg->errors.error_exit = fail;
  jpeg->errors.emit_message = warn;
  jpeg->errors.output_message = say_nothing;
  if (setjmp(jpeg->failed)) {
    free(jpeg);
    return NULL;
  }
  jpeg_create_decompress(&jpeg->decoder);
  jpeg->decoder.client_data = jpeg;
  jpeg->source.init_source = do_nothing;
  jpeg->source.fill_input_buffer = end;
  jpeg->source.skip_input_data = skip;
  jpeg->source.resync_to_restart = jpeg_resync_to_restart;
  jpeg->source.term_source = do_nothing;
  jpeg->decoder.src = &jpeg->source;
  jpeg->progress.progress_monitor = count_scans;
  jpeg->decoder.progress = &jpeg->progress;
  return jpeg;
}

void onair_jpeg_free(onair_jpeg *jpeg) {
  if (!jpeg) return;
  jpeg_destroy_decompress(&jpeg->decoder);
  free(jpeg->spare);
  free(jpeg->inks);
  free(jpeg);
}

/* The result that stands for libjpeg's last error, with details in `info`. */
static onair_jpeg_result cause(onair_jpeg *jpeg, onair_jpeg_info *info) {
  int detail = jpeg->errors.msg_parm.i[0];
  int precision = 0;
  int process = 0;
  onair_jpeg_result result = ONAIR_JPEG_BROKEN;
  switch (jpeg->errors.msg_code) {
  case JERR_BAD_PRECISION:
    if (detail != 12 && detail != 16) break;
    precision = detail;
    result = ONAIR_JPEG_UNSUPPORTED;
    break;
  case JERR_UNKNOWN_MARKER:
    /* 0xF7 is the frame marker of JPEG-LS (ITU-T T.87). */
    if (detail != 0xF7) break;
    process = detail;
    result = ONAIR_JPEG_UNSUPPORTED;
    break;
  case JERR_SOF_UNSUPPORTED:
    process = detail;
    result = ONAIR_JPEG_UNSUPPORTED;
    break;
  case JERR_ARITH_NOTIMPL:
  case JERR_CCIR601_NOTIMPL:
  case JERR_COMPONENT_COUNT:
  case JERR_CONVERSION_NOTIMPL:
  case JERR_FRACT_SAMPLE_NOTIMPL:
  case JERR_NOTIMPL:
  case JERR_NOT_COMPILED:
    result = ONAIR_JPEG_UNSUPPORTED;
    break;
  case JERR_OUT_OF_MEMORY:
  case JERR_NO_BACKING_STORE:
  case JERR_WIDTH_OVERFLOW:
    result = ONAIR_JPEG_TOO_LARGE;
    break;
  default:
    break;
  }
  if (info) {
    info->precision = precision;
    info->process = process;
  }
  jpeg_abort_decompress(&jpeg->decoder);
  return result;
}

onair_jpeg_result onair_jpeg_begin(
  onair_jpeg *jpeg, const uint8_t *bytes, size_t count, onair_jpeg_info *info) {
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  *info = (onair_jpeg_info){0};
  jpeg_abort_decompress(decoder);
  jpeg->is_damaged = 0;
  jpeg->has_ended = 0;
  /* Skip the zeros with which some cameras fill their buffers: they would pass for blocks of a truncated picture. A
   * zero after 255 belongs to the picture. */
  while (count > 1 && bytes[count - 1] == 0 && bytes[count - 2] != 0xFF) count--;
  jpeg->source.next_input_byte = bytes;
  jpeg->source.bytes_in_buffer = count;
  if (setjmp(jpeg->failed)) return cause(jpeg, info);
  if (jpeg_read_header(decoder, TRUE) != JPEG_HEADER_OK) return ONAIR_JPEG_BROKEN;
  info->width = decoder->image_width;
  info->height = decoder->image_height;
  info->channels = decoder->num_components;
  info->is_planar = (decoder->jpeg_color_space == JCS_YCbCr && decoder->num_components == 3) ||
                    (decoder->jpeg_color_space == JCS_GRAYSCALE && decoder->num_components == 1);
  for (int channel = 0; channel < decoder->num_components && channel < 4; channel++) {
    info->plane_widths[channel] = decoder->comp_info[channel].downsampled_width;
    info->plane_heights[channel] = decoder->comp_info[channel].downsampled_height;
  }
  return ONAIR_JPEG_OK;
}

/* Whether the image is complete. Without an end marker, a simple image is complete if all of its blocks were there. An
 * image with several scans may lack the last scans, and with arithmetic coding missing blocks are not noticed. */
static onair_jpeg_result verdict(onair_jpeg *jpeg) {
  int is_simple = !jpeg_has_multiple_scans(&jpeg->decoder) && !jpeg->decoder.arith_code;
  if (jpeg->is_damaged || (jpeg->has_ended && !is_simple)) return ONAIR_JPEG_BROKEN;
  return ONAIR_JPEG_OK;
}

onair_jpeg_result onair_jpeg_planes(
  onair_jpeg *jpeg, uint8_t *const planes[3], const int strides[3], const int rows[3]) {
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  JSAMPROW row_lists[3][MOST_ROWS];
  JSAMPARRAY lists[3] = {row_lists[0], row_lists[1], row_lists[2]};
  size_t widest = 0;
  if (decoder->num_components > 3) return ONAIR_JPEG_UNSUPPORTED;
  for (int channel = 0; channel < decoder->num_components; channel++) {
    size_t width = (size_t)decoder->comp_info[channel].width_in_blocks * DCTSIZE;
    if ((size_t)strides[channel] < width) return ONAIR_JPEG_BROKEN;
    if (width > widest) widest = width;
  }
  if (widest > jpeg->spare_bytes) {
    free(jpeg->spare);
    jpeg->spare = malloc(widest);
    jpeg->spare_bytes = jpeg->spare ? widest : 0;
    if (!jpeg->spare) return ONAIR_JPEG_TOO_LARGE;
  }
  if (setjmp(jpeg->failed)) return cause(jpeg, NULL);
  decoder->raw_data_out = TRUE;
  decoder->do_fancy_upsampling = FALSE;
  decoder->out_color_space = decoder->jpeg_color_space;
  jpeg_start_decompress(decoder);
  JDIMENSION lines = (JDIMENSION)(decoder->max_v_samp_factor * DCTSIZE);
  for (JDIMENSION block = 0; decoder->output_scanline < decoder->output_height; block++) {
    for (int channel = 0; channel < decoder->num_components; channel++) {
      int count = decoder->comp_info[channel].v_samp_factor * DCTSIZE;
      for (int row = 0; row < count; row++) {
        long at = (long)block * count + row;
        row_lists[channel][row] =
          at < rows[channel] ? planes[channel] + at * strides[channel] : jpeg->spare;
      }
    }
    if (jpeg_read_raw_data(decoder, lists, lines) == 0) return ONAIR_JPEG_BROKEN;
  }
  return verdict(jpeg);
}

onair_jpeg_result onair_jpeg_begin_rows(
  onair_jpeg *jpeg, int shrink, size_t memory, uint32_t *width, uint32_t *height) {
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  if (setjmp(jpeg->failed)) return cause(jpeg, NULL);
  decoder->mem->max_memory_to_use = (long)memory;
  decoder->scale_num = 1;
  decoder->scale_denom = (unsigned)shrink;
  /* libjpeg cannot convert four inks to RGB. */
  decoder->out_color_space = decoder->num_components == 4 ? JCS_CMYK : JCS_EXT_BGRA;
  jpeg_start_decompress(decoder);
  *width = decoder->output_width;
  *height = decoder->output_height;
  if (decoder->out_color_space == JCS_CMYK) {
    free(jpeg->inks);
    jpeg->inks = malloc((size_t)decoder->output_width * 4);
    if (!jpeg->inks) return ONAIR_JPEG_TOO_LARGE;
  }
  return ONAIR_JPEG_OK;
}

/* Converts a row of four inks (CMYK) to BGRA. Adobe's programs store inverted amounts of ink; the standard (ITU-T
 * T.872, 6.1) stores plain ones. */
static void mix(const JSAMPLE *inks, uint8_t *row, JDIMENSION width, int is_inverted) {
  for (JDIMENSION x = 0; x < width; x++, inks += 4, row += 4) {
    unsigned flip = is_inverted ? 0 : 255;
    unsigned light = inks[3] ^ flip;
    for (int channel = 0; channel < 3; channel++) {
      row[2 - channel] = (uint8_t)(((inks[channel] ^ flip) * light + 127) / 255);
    }
    row[3] = 255;
  }
}

onair_jpeg_result onair_jpeg_row(onair_jpeg *jpeg, uint8_t *row) {
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  if (setjmp(jpeg->failed)) return cause(jpeg, NULL);
  int has_inks = decoder->out_color_space == JCS_CMYK;
  JSAMPROW target = has_inks ? jpeg->inks : row;
  if (jpeg_read_scanlines(decoder, &target, 1) != 1) return ONAIR_JPEG_BROKEN;
  if (has_inks) mix(jpeg->inks, row, decoder->output_width, decoder->saw_Adobe_marker);
  return decoder->output_scanline < decoder->output_height ? ONAIR_JPEG_OK : verdict(jpeg);
}
