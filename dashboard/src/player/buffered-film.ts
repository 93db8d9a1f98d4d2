import {
  nextPiece,
  oldPieces,
  type Piece,
  readFilm,
  readTrack,
  type Track,
  typeOfPictures,
  typeOfSound,
} from './playlist.ts'

/** Seconds to fetch ahead of the playhead. */
const aheadSeconds = 20
/** Seconds behind the playhead that stay in memory. */
const behindSeconds = 60
/** A removal ends this much before a piece: times of a playlist are rounded to microseconds. */
const edgeSeconds = 0.001
const retryMs = 1_000
/** The pieces' times begin this late, so that none is negative (docs/decisions/0112). */
const leadSeconds = 1

type Options = {
  readonly video: HTMLVideoElement
  readonly playlistUrl: string
  readonly onFault: (error: Error) => void
}

/**
 * Plays a film while it renders: fetches the pieces from the playhead on, in any order, and appends them
 * as they are. The farm holds the request of a piece until it is rendered, and renders it first.
 * Returns a function that ends it.
 */
export function playBuffered({ video, playlistUrl, onFault }: Options): () => void {
  const Source = sourceClass()
  if (!Source) {
    // Safari on telephones plays the list itself.
    video.src = playlistUrl
    return () => video.removeAttribute('src')
  }
  const ending = new AbortController()
  const { signal } = ending
  const source = new Source()
  // ManagedMediaSource demands that the film is not offered to other screens.
  video.disableRemotePlayback = true
  video.src = URL.createObjectURL(source)
  const opened = new Promise((resolve) => {
    source.addEventListener('sourceopen', resolve, { once: true })
  })
  const run = async () => {
    const film = readFilm(await textOf(playlistUrl, signal), playlistUrl)
    const tracks = await Promise.all(
      [film.pictures, film.sound].map(async (url) =>
        url === undefined ? undefined : readTrack(await textOf(url, signal), url),
      ),
    )
    await opened
    const [pictures, sound] = tracks
    if (!pictures) return
    const inits = await Promise.all(
      [pictures, sound].map((track) => track && bytesOf(track.init, signal)),
    )
    const [pictureInit, soundInit] = inits
    if (!pictureInit) return
    const seconds = pictures.pieces.reduce((sum, piece) => sum + piece.seconds, 0)
    const pictureBuffer = source.addSourceBuffer(typeOfPictures(pictureInit))
    const soundBuffer = sound && source.addSourceBuffer(typeOfSound)
    source.duration = seconds
    await Promise.all([
      fill(pictures, pictureBuffer, pictureInit),
      sound && soundBuffer && soundInit && fill(sound, soundBuffer, soundInit),
    ])
  }

  async function fill(track: Track, buffer: SourceBuffer, init: Uint8Array): Promise<void> {
    buffer.timestampOffset = -leadSeconds
    await append(buffer, init)
    const held = new Set<Piece>()
    while (!signal.aborted) {
      const has = (piece: Piece) => held.has(piece)
      const piece = nextPiece(track.pieces, { time: video.currentTime, ahead: aheadSeconds, has })
      if (!piece) {
        if (held.size === track.pieces.length) endIfWhole()
        await changed(video, signal)
        continue
      }
      const bytes = await pieceUnlessSought(piece)
      if (!bytes) continue
      await append(buffer, bytes)
      held.add(piece)
      await forget(buffer, held)
    }
  }

  /** Fetches a piece; undefined once the playhead has gone elsewhere meanwhile. */
  async function pieceUnlessSought(piece: Piece): Promise<Uint8Array | undefined> {
    const sought = new AbortController()
    const look = () => {
      const time = video.currentTime
      const isWanted = piece.start < time + aheadSeconds && piece.start + piece.seconds > time
      if (!isWanted) sought.abort()
    }
    video.addEventListener('seeking', look)
    try {
      return await bytesOf(piece.url, AbortSignal.any([signal, sought.signal]))
    } catch (error) {
      if (sought.signal.aborted && !signal.aborted) return undefined
      throw error
    } finally {
      video.removeEventListener('seeking', look)
    }
  }

  async function forget(buffer: SourceBuffer, held: Set<Piece>): Promise<void> {
    const { pieces: old, end } = oldPieces(held, video.currentTime - behindSeconds)
    if (old.length === 0) return
    for (const piece of old) held.delete(piece)
    await done(buffer, () => buffer.remove(0, end - edgeSeconds))
  }

  function endIfWhole(): void {
    const buffers = [...source.sourceBuffers]
    const isWhole = buffers.every((each) => !each.updating && each.buffered.length === 1)
    if (source.readyState === 'open' && isWhole && source.duration - endOf(video.buffered) < 0.1) {
      source.endOfStream()
    }
  }

  run().catch((error) => {
    if (!signal.aborted) onFault(error)
  })
  return () => {
    ending.abort()
    URL.revokeObjectURL(video.src)
    video.removeAttribute('src')
    video.load()
  }
}

function sourceClass(): typeof MediaSource | undefined {
  const { ManagedMediaSource, MediaSource } = window as typeof window & {
    ManagedMediaSource?: typeof globalThis.MediaSource
    MediaSource?: typeof globalThis.MediaSource
  }
  return MediaSource ?? ManagedMediaSource
}

async function append(buffer: SourceBuffer, bytes: Uint8Array): Promise<void> {
  await done(buffer, () => buffer.appendBuffer(bytes as Uint8Array<ArrayBuffer>))
}

async function done(buffer: SourceBuffer, change: () => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    buffer.addEventListener('updateend', () => resolve(), { once: true })
    buffer.addEventListener(
      'error',
      () => reject(new Error('The browser refused a piece of the film')),
      {
        once: true,
      },
    )
    change()
  })
}

/** Waits until the playhead has moved. */
async function changed(video: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const once = { once: true, signal }
    video.addEventListener('timeupdate', () => resolve(), once)
    video.addEventListener('seeking', () => resolve(), once)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function textOf(url: string, signal: AbortSignal): Promise<string> {
  return await (await patiently(url, signal)).text()
}

async function bytesOf(url: string, signal: AbortSignal): Promise<Uint8Array> {
  return new Uint8Array(await (await patiently(url, signal)).arrayBuffer())
}

/** Asks until it is there: a piece that is not rendered answers 503 after its wait. */
async function patiently(url: string, signal: AbortSignal): Promise<Response> {
  for (;;) {
    try {
      const response = await fetch(url, { signal })
      if (response.ok) return response
      if (response.status !== 503 && response.status < 500) throw new Stop(await reasonOf(response))
    } catch (error) {
      if (error instanceof Stop || signal.aborted) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    signal.throwIfAborted()
  }
}

/** Answer that no repetition changes. */
class Stop extends Error {}

async function reasonOf(response: Response): Promise<string> {
  const { detail } = await response.json().catch(() => ({ detail: response.statusText }))
  return detail
}

const endOf = (ranges: TimeRanges) => (ranges.length === 0 ? 0 : ranges.end(ranges.length - 1))
