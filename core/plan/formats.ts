/**
 * Codecs of each film format. Video encoders of a format share one codec and stand in order of
 * preference. VP9 and MPEG-4 Part 2 have no GPU encoder that is worth the trouble. AVI has MPEG-4
 * because an AVI packet has a single time, for decoding and display; H.264 would lose the display time.
 */
export const filmFormats = {
  mp4: { video: ['h264_nvenc', 'libx264'], sound: 'aac' },
  mov: { video: ['h264_nvenc', 'libx264'], sound: 'aac' },
  webm: { video: ['libvpx-vp9'], sound: 'libopus' },
  avi: { video: ['mpeg4'], sound: 'libmp3lame' },
} as const

export type FilmFormat = keyof typeof filmFormats
export type VideoEncoder = (typeof filmFormats)[FilmFormat]['video'][number]
export type SoundEncoder = (typeof filmFormats)[FilmFormat]['sound']

export function isFilmFormat(format: string): format is FilmFormat {
  return Object.hasOwn(filmFormats, format)
}

/**
 * True where this sound is encoded beside the pictures and muxed afterwards. No container keeps the
 * start of the other codecs' sound, so they are encoded while the film is joined.
 */
export function isEncodedAhead(sound: SoundEncoder | null): boolean {
  return sound === 'aac'
}

/** Distinct video encoders of all formats. */
export const videoEncoders: readonly VideoEncoder[] = [
  ...new Set(Object.values(filmFormats).flatMap(({ video }): readonly VideoEncoder[] => video)),
]

/** Distinct sound encoders of all formats. */
export const soundEncoders: readonly SoundEncoder[] = [
  ...new Set(Object.values(filmFormats).map(({ sound }) => sound)),
]
