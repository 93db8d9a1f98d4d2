import { createHash } from 'node:crypto'
import { join } from 'node:path'

/**
 * Says what the farm's own ffmpeg is made of: the system's source, with only the parts that the farm
 * uses (decision 0065). A distribution's build loads some 200 libraries each time it starts. Its
 * x264 is the system's, too, except for the huge pages that it asks for (decision 0071).
 */

export const libraries = {
  libdav1d: 'libdav1d-dev',
  libvpx: 'libvpx-dev',
  libopus: 'libopus-dev',
  libmp3lame: 'libmp3lame-dev',
  libzimg: 'libzimg-dev',
  zlib: 'zlib1g-dev',
  // Headers only: the driver is loaded when a GPU is used.
  ffnvcodec: 'libffmpeg-nvenc-dev',
}

export const tools = ['build-essential', 'pkg-config', ...(process.arch === 'x64' ? ['nasm'] : [])]

/**
 * Parts that worker/ uses: its lists of formats and decoders, the encoders of core/plan/formats.ts,
 * filters; framemd5 is for tests.
 */
const parts = {
  protocol: ['file', 'pipe'],
  indev: ['lavfi'],
  demuxer: [
    ...['mov', 'matroska', 'avi', 'gif', 'mp3', 'aac', 'wav', 'ogg', 'flac', 'concat', 'rawvideo'],
    ...['pcm_s16le', 'pcm_f32le'],
    // None of them may open a file (`-format_whitelist`); they only help to recognise a WAV.
    ...['spdif', 'ac3', 'eac3', 'dts', 'truehd', 'loas'],
  ],
  muxer: [
    ...['mp4', 'mov', 'webm', 'avi', 'wav', 'mjpeg', 'image2pipe', 'rawvideo', 'pcm_f32le', 'null'],
    ...['framecrc', 'framemd5'],
  ],
  decoder: [
    ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx_vp8', 'libvpx_vp9'],
    ...['av1', 'libdav1d', 'mpeg4', 'h263'],
    ...['mpeg1video', 'mpeg2video', 'mjpeg', 'prores', 'dnxhd', 'qtrle', 'png', 'gif', 'rawvideo'],
    ...['mp3float', 'mp3', 'aac', 'opus', 'libopus', 'vorbis', 'flac', 'alac', 'ac3', 'eac3'],
    ...['pcm_u8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le'],
    ...['pcm_f32le', 'pcm_f64le', 'pcm_alaw', 'pcm_mulaw', 'adpcm_ima_wav', 'adpcm_ms'],
    ...['movtext', 'webvtt', 'subrip', 'ass', 'wrapped_avframe'],
  ],
  encoder: [
    ...['libx264', 'h264_nvenc', 'libvpx_vp9', 'mpeg4', 'mjpeg', 'ppm', 'rawvideo'],
    ...['aac', 'libopus', 'libmp3lame', 'flac', 'pcm_s16le', 'pcm_f32le', 'wrapped_avframe'],
  ],
  parser: [
    ...['h264', 'hevc', 'vp8', 'vp9', 'av1', 'mpeg4video', 'h263'],
    ...['mpegvideo', 'mjpeg', 'png', 'gif'],
    ...['aac', 'mpegaudio', 'opus', 'vorbis', 'flac', 'ac3', 'dnxhd'],
  ],
  filter: [
    ...['scale', 'zscale', 'format', 'crop', 'setsar', 'overlay', 'colorkey', 'tonemap', 'split'],
    ...['setpts', 'settb', 'fps', 'tpad', 'select', 'loop', 'trim', 'null', 'color'],
    ...['aformat', 'aresample', 'asetpts', 'atrim', 'anull', 'sine'],
    // Inserted by ffmpeg itself, for a track with a rotation.
    ...['transpose', 'hflip', 'vflip', 'rotate'],
  ],
}

export const x264Options = [
  ...['--enable-static', '--enable-pic', '--bit-depth=8', '--disable-opencl'],
  ...['--disable-avs', '--disable-ffms', '--disable-lavf', '--disable-swscale', '--disable-lsmash'],
  '--disable-gpac',
]

/**
 * Turns off x264's request for huge pages. A segment's encoder is a process of its own, whose 200
 * MB are cleared once and used for a second; and a virtual machine returns free memory to its host,
 * large blocks first.
 */
export const hugePages = { asked: '#define HAVE_THP 1', left: '#define HAVE_THP 0' }

/** Training inputs for the compiler's profile: flat colours, sharp edges and noise; a slow zoom. */
export const lessons = {
  drawn: 'testsrc2=s=640x360:r=30:d=2,noise=alls=6:allf=t:all_seed=1',
  zoomed: 'mandelbrot=s=640x360:r=30,trim=duration=2',
}
export const segmentOptions = ['--preset', 'veryfast', '--crf', '23']
/** Settings of x264's training; its own list has seven more, which the farm does not use. */
export const lessonOptions = [
  `OPT0=${segmentOptions.join(' ')}`,
  ...[1, 2, 3, 4, 5, 6, 7].map((other) => `OPT${other}=--frames 1`),
]

/** Relative to the sources, two folders down: an absolute path might contain a space. */
export const builtDir = join('..', '..', 'built')

export const configureOptions = [
  ...['--toolchain=hardened', '--extra-version=farm', '--disable-debug', '--disable-doc'],
  ...['--disable-everything', '--disable-autodetect', '--disable-network', '--disable-ffplay'],
  ...['--enable-bsfs', '--enable-gpl', '--enable-libx264'],
  ...['--enable-cuda', '--enable-nvenc', '--enable-nvdec', '--enable-hwaccel=h264_nvdec'],
  ...Object.keys(libraries).map((name) => `--enable-${name}`),
  ...Object.entries(parts).map(([kind, names]) => `--enable-${kind}=${names.join(',')}`),
]

/** Changes with every option of the build. */
export function digestOfOptions() {
  const ofX264 = [...x264Options, ...Object.values({ ...hugePages, ...lessons }), ...lessonOptions]
  const all = [...configureOptions, ...ofX264].join(' ')
  return createHash('sha256').update(all).digest('hex').slice(0, 16)
}
