/**
 * Frees pixels that nobody reads any more: megabytes out of the garbage collector's sight. Left to it, each frame is
 * fresh memory that has to be cleared, and the collector looks through all of the heap every few frames. A buffer
 * that is a part of a larger one is left alone; any other is empty afterwards.
 */
export function freePixels({ buffer, byteLength }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return
  if (buffer.byteLength === byteLength) buffer.transfer(0)
}
