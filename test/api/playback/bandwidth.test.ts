import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import type { PlayableFilm } from '../../../api/playback/playable-film.ts'
import { filmPlaylist } from '../../../api/playback/playlist.ts'

/** Encodes a second of white noise as the farm encodes, and returns its bits. */
async function bitsOfNoise({ width, height }: { width: number; height: number }): Promise<number> {
  const noise = "geq=lum='random(1)*255':cb='random(2)*255':cr='random(3)*255'"
  const source = `nullsrc=size=${width}x${height}:rate=30,${noise}`
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    [
      ...['-v', 'error', '-f', 'lavfi', '-i', source, '-frames:v', '30', '-c:v', 'libx264'],
      ...['-preset', 'veryfast', '-crf', '23', '-g', '30', '-pix_fmt', 'yuv420p'],
      ...['-f', 'h264', '-'],
    ],
    { encoding: 'buffer', maxBuffer: 2 ** 26 },
  )
  return stdout.length * 8
}

test('a playlist’s bandwidth bounds a film of noise', async (t) => {
  const size = { width: 320, height: 180 }
  const film = { ...size, frameRate: 30, hasSound: false, codec: undefined }
  const playlist = filmPlaylist(film as PlayableFilm)
  const bandwidth = Number(/BANDWIDTH=(\d+)/.exec(playlist)?.[1])
  t.true(bandwidth > (await bitsOfNoise(size)))
})
