/** Longest JSON body of a request, in bytes. */
export const maxBodyBytes = 2_000_000

/** Most bytes of a customer's medium, by what it is. */
export const mediaBytes = {
  image: 64 * 2 ** 20,
  video: 1024 * 2 ** 20,
  audio: 512 * 2 ** 20,
} as const
