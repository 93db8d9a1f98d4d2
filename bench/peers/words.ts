/** Writers of words and sound that all workloads share. */
export type Words = {
  /** Returns ffmpeg's filter that draws `words`. */
  readonly drawn: (
    words: string,
    place: { size: number; x: string; y: number | string; more?: string },
  ) => string
  /** Returns the element of a TEXT visual that looks the same. `more`: further CSS. */
  readonly html: (words: string, size: number, more?: string) => string
  /** ffmpeg's arguments for sound as the farm encodes it. */
  readonly sound: readonly string[]
}
