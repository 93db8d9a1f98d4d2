/**
 * Gives the free pages of glibc's heap back to the system; glibc itself gives back only its top. It
 * takes some tenths of a second for a gigabyte. Does nothing where the C library is another or koffi
 * has no build. https://man7.org/linux/man-pages/man3/malloc_trim.3.html
 *
 * @returns whether glibc was asked
 */
export async function trimNativeHeap(): Promise<boolean> {
  if (process.platform !== 'linux') return false
  try {
    // Loaded here: a node that is never idle does without it.
    const { default: koffi } = await import('koffi')
    koffi.load('libc.so.6').func('int malloc_trim(size_t pad)')(0)
    return true
  } catch {
    return false
  }
}
