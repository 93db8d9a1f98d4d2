/**
 * What each kind of film file holds. Video encoders stand in the order in which they are wanted; they
 * are of one codec, so any of them will do. VP9 and MPEG-4 Part 2 have no encoder on a GPU that is
 * worth the trouble. AVI has MPEG-4 because it has one time for a packet, which is both when it is
 * decoded and when it is shown: H.264 in it leaves players and tools without the second.
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
 * Whether sound of this kind is encoded beside the pictures and put to them afterwards. Of the others no
 * container was found that keeps where they begin, so they are encoded while the film is joined.
 */
export function isEncodedAhead(sound: SoundEncoder | null): boolean {
  return sound === 'aac'
}

/** Every encoder of pictures that some format wants, each once. */
export const videoEncoders: readonly VideoEncoder[] = [
  ...new Set(Object.values(filmFormats).flatMap(({ video }): readonly VideoEncoder[] => video)),
]

/** Every encoder of sound that some format wants, each once. */
export const soundEncoders: readonly SoundEncoder[] = [
  ...new Set(Object.values(filmFormats).map(({ sound }) => sound)),
]
