export type Piece = { readonly url: string; readonly start: number; readonly seconds: number }
export type Track = { readonly init: string; readonly pieces: readonly Piece[] }
export type Tracks = { readonly pictures: string; readonly sound: string | undefined }

const attribute = (line: string, name: string) => line.match(new RegExp(`${name}="([^"]*)"`))?.[1]

/** Reads the playlist of a film (RFC 8216, 4.3.4): addresses of its pictures and, if it has any, its sound. */
export function readFilm(text: string, base: string): Tracks {
  const lines = text.split('\n').map((line) => line.trim())
  const at = lines.findIndex((line) => line.startsWith('#EXT-X-STREAM-INF'))
  const sound = lines.find((line) => line.startsWith('#EXT-X-MEDIA:') && line.includes('AUDIO'))
  const soundUri = sound && attribute(sound, 'URI')
  return {
    pictures: new URL(lines[at + 1] ?? '', base).href,
    sound: soundUri ? new URL(soundUri, base).href : undefined,
  }
}

/** Reads a media playlist: its first box and the pieces, with their places in the film in seconds. */
export function readTrack(text: string, base: string): Track {
  const pieces: Piece[] = []
  let init = ''
  let seconds = 0
  let start = 0
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('#EXT-X-MAP:')) init = new URL(attribute(line, 'URI') ?? '', base).href
    else if (line.startsWith('#EXTINF:')) seconds = Number.parseFloat(line.slice(8))
    else if (line !== '' && !line.startsWith('#')) {
      pieces.push({ url: new URL(line, base).href, start, seconds })
      start += seconds
    }
  }
  return { init, pieces }
}

/** Returns the piece to fetch next: the first from the playhead on that is missing, up to `ahead` seconds. */
export function nextPiece(
  pieces: readonly Piece[],
  { time, ahead, has }: { time: number; ahead: number; has: (piece: Piece) => boolean },
): Piece | undefined {
  return pieces.find(
    (piece) => piece.start + piece.seconds > time && piece.start < time + ahead && !has(piece),
  )
}

/**
 * Returns the held pieces that end before `time`, and where the last of them ends:
 * what stays in memory stays whole.
 */
export function oldPieces(
  held: Iterable<Piece>,
  time: number,
): { readonly pieces: readonly Piece[]; readonly end: number } {
  const endOf = ({ start, seconds }: Piece) => start + seconds
  const pieces = [...held].filter((piece) => endOf(piece) < time)
  return { pieces, end: Math.max(0, ...pieces.map(endOf)) }
}

const avcC = [0x61, 0x76, 0x63, 0x43]

/** Returns the MIME type of H.264 in this first box: profile, constraints and level stand in its `avcC`. */
export function typeOfPictures(init: Uint8Array): string {
  const at = init.findIndex((_, i) => avcC.every((byte, k) => init[i + k] === byte))
  if (at < 0)
    throw new Error('The film must be H.264. This browser plays no other while it renders')
  const hex = [...init.subarray(at + 5, at + 8)].map((byte) => byte.toString(16).padStart(2, '0'))
  return `video/mp4; codecs="avc1.${hex.join('')}"`
}

export const typeOfSound = 'audio/mp4; codecs="mp4a.40.2"'
