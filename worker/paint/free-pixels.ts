/**
 * Frees pixels that are no longer read: the garbage collector does not see their megabytes.
 * Otherwise each frame would be fresh memory that has to be cleared, and frequent collections would
 * scan the whole heap. A buffer that is part of a larger one is left alone; any other is empty
 * afterwards.
 */
export function freePixels({ buffer, byteLength }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return
  if (buffer.byteLength === byteLength) buffer.transfer(0)
}
