import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import {
  formatOf,
  keyFramesOf,
  picturesInit,
  picturesPiece,
} from '../../../api/playback/cut-pieces.ts'
import { openLargeMp4 } from '../../../api/playback/mp4-file.ts'

const run = promisify(execFile)
const frameRate = 30

/** Hash of each decoded frame of a file. */
async function framesOf(file: string) {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'framemd5', '-'])
  const rows = stdout.split('\n').filter((line) => /^\d/.test(line))
  return rows.map((line) => line.split(',').at(-1)?.trim())
}

async function timesOf(file: string): Promise<number[]> {
  const entries = ['-select_streams', 'v', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0']
  const { stdout } = await run('ffprobe', ['-v', 'error', ...entries, file])
  const times = stdout.trim().split('\n').map(Number.parseFloat)
  return times.toSorted((a, b) => a - b)
}

test('pieces of a finished file show each frame at its time', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const [film, played] = [join(folder, 'film.mp4'), join(folder, 'played.mp4')]
  const source = ['-f', 'lavfi', '-i', `testsrc=size=160x90:rate=${frameRate}:duration=3`]
  const codec = ['-c:v', 'libx264', '-bf', '2', '-g', '30', '-pix_fmt', 'yuv420p']
  await run('ffmpeg', ['-v', 'error', ...source, ...codec, '-video_track_timescale', '15360', film])

  const bytes = await readFile(film)
  const readRange = async (_key: string, range: { from: number; bytes: number }) =>
    bytes.subarray(range.from, range.from + range.bytes)
  const file = await openLargeMp4({ readRange }, 'film')
  const { keys, frames } = keyFramesOf(file)
  t.is(frames, 3 * frameRate)
  t.is(file.pictures(), file.pictures(), 'its tables are parsed once')
  const pieces = await Promise.all(
    keys.map((start, number) => {
      const stretch = { file, from: start, frames: (keys[number + 1] ?? frames) - start }
      return picturesPiece({ number, start, frameRate }, [stretch])
    }),
  )
  await writeFile(played, Buffer.concat([picturesInit(file, formatOf(file)), ...pieces]))

  t.deepEqual(await framesOf(played), await framesOf(film))
  const times = await timesOf(played)
  t.is(times.length, frames)
  const [first = 0] = times
  t.true(times.every((time, i) => Math.abs(time - first - i / frameRate) < 0.001))
})
