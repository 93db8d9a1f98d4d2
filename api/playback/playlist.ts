import type { Piece } from '../../core/plan/pieces.ts'
import type { PlayableFilm } from './playable-film.ts'

/** Writes playlists of HTTP Live Streaming (RFC 8216): complete ones, before a frame is painted. */

const head = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS']

/** Upper bound of the bits of a pixel: x264 takes 4.8 for white noise at the farm's quality. */
const bitsPerPixel = 6
const soundBits = 192_000
const soundCodec = 'mp4a.40.2'

/** Returns the playlist that names those of pictures and sound. */
export function filmPlaylist({ width, height, frameRate, hasSound, codec }: PlayableFilm): string {
  const bits = Math.round(width * height * frameRate * bitsPerPixel) + (hasSound ? soundBits : 0)
  const sound =
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Sound",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="sound.m3u8"'
  const stream = [
    ...[`BANDWIDTH=${bits}`, `RESOLUTION=${width}x${height}`],
    `FRAME-RATE=${frameRate.toFixed(3)}`,
    ...(codec === undefined ? [] : [`CODECS="${hasSound ? `${codec},${soundCodec}` : codec}"`]),
    ...(hasSound ? ['AUDIO="sound"'] : []),
  ]
  const lines = [...head, ...(hasSound ? [sound] : [])]
  return text([...lines, `#EXT-X-STREAM-INF:${stream.join(',')}`, 'pictures.m3u8'])
}

/** Returns the playlist of one track; both are cut by the same table. */
export function trackPlaylist({ pieces, frameRate }: PlayableFilm, track: TrackName): string {
  const secondsOf = ({ frames }: Piece) => frames / frameRate
  const longest = Math.max(...pieces.map(secondsOf))
  return text([
    ...head,
    `#EXT-X-TARGETDURATION:${Math.ceil(longest)}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-MAP:URI="${track}-init.mp4"`,
    ...pieces.flatMap((piece, number) => [
      `#EXTINF:${secondsOf(piece).toFixed(6)},`,
      `${track}-${number}.m4s`,
    ]),
    '#EXT-X-ENDLIST',
  ])
}

export type TrackName = 'pictures' | 'sound'

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
