import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import sharp from 'sharp'
import { filmOf, mediaFiles } from './film.ts'
import { type Farm, serveMedia, startFarm } from './running-farm.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
let media: Awaited<ReturnType<typeof serveMedia>>
let farm: Farm

test.before(async () => {
  const files = await mediaFiles()
  const clips = {
    'flash.mp4': await flash('mp4', '-c:v', 'libx264', '-c:a', 'aac'),
    'flash.webm': await flash('webm', '-c:v', 'libvpx', '-c:a', 'libopus'),
  }
  media = await serveMedia({ ...files, ...clips, 'words.png': Buffer.from('words') })
  farm = await startFarm({ workers: 2, env: { FARM_TRUSTED_HOSTS: media.hosts, FARM_SLOTS: '2' } })
})
test.after.always(async () => {
  await farm?.stop()
  media?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A black clip of 2 s that turns white at its second 1, when a tone sets in. */
async function flash(format: string, ...codecs: string[]): Promise<Buffer> {
  const black = 'color=black:s=160x90:r=30:d=1'
  const graph = `color=white:s=160x90:r=30:d=1[w];[0:v][w]concat[v];[1:a]adelay=1000[a]`
  const inputs = ['-f', 'lavfi', '-i', black, '-f', 'lavfi', '-i', 'sine=600:r=48000:d=1']
  const maps = ['-filter_complex', graph, '-map', '[v]', '-map', '[a]', '-pix_fmt', 'yuv420p']
  const file = join(folder, `source.${format}`)
  await run('ffmpeg', ['-v', 'error', ...inputs, ...maps, ...codecs, '-f', format, file])
  return readFile(file)
}

for (const [outputFormat, type, container, pictures, sound] of [
  ['mp4', 'video/mp4', 'mp4', 'h264', 'aac'],
  ['mov', 'video/quicktime', 'mov', 'h264', 'aac'],
  ['webm', 'video/webm', 'webm', 'vp9', 'opus'],
  ['avi', 'video/x-msvideo', 'avi', 'mpeg4', 'mp3'],
] as const) {
  test.serial(`a ${outputFormat} has the requested format`, async (t) => {
    const thumbnail = media.at('photo.png')
    const film = { ...filmOf(media.at, `As ${outputFormat}`), width: 321, outputFormat, thumbnail }
    const { job, file } = await farm.render(film)
    const reply = await fetch(job.url ?? '', { headers: { range: 'bytes=0-0' } })
    t.is(reply.headers.get('content-type'), type)
    const path = join(folder, outputFormat)
    await writeFile(path, file)
    const entries = ['-show_streams', '-show_format', '-count_frames', '-of', 'json']
    const probed = JSON.parse((await run('ffprobe', ['-v', 'error', ...entries, path])).stdout)
    t.true(probed.format.format_name.split(',').includes(container))
    t.is(probed.format.tags.title ?? probed.format.tags.TITLE, `As ${outputFormat}`)
    t.is(probed.streams.length, 2)
    t.like(probed.streams, [
      { codec_name: pictures, width: 321, height: 180, nb_read_frames: '180' },
      { codec_name: sound, sample_rate: '48000', channels: 2 },
    ])
    t.like(job.result, { duration: 6, size: file.length, width: 321, height: 180 })
    const poster = await (await fetch(job.thumbnailUrl ?? '')).arrayBuffer()
    t.like(await sharp(poster).metadata(), { format: 'jpeg', width: 640, height: 400 })
  })
}

test.serial('a thumbnail that is no picture fails the job by its field', async (t) => {
  const thumbnail = media.at('words.png')
  const visuals = [{ type: 'TEXT', text: 'Hello' }]
  const id = await farm.submit({ width: 100, height: 60, duration: 1, visuals, thumbnail })
  const job = await farm.finished(id)
  t.is(job.state, 'failed')
  t.is(job.error?.code, 'media_invalid')
  t.is(job.error?.details[0]?.field, 'thumbnail')
})

test.serial('picture and sound of a clip stay in sync across containers', async (t) => {
  const clip = (name: string) => ({ type: 'VIDEO', src: media.at(name), videoEnd: 2 })
  const scenes = ['flash.mp4', 'flash.webm'].map((name) => ({ visuals: [clip(name)] }))
  for (const outputFormat of ['mp4', 'webm']) {
    const film = { width: 160, height: 90, frameRate: 30, outputFormat, scenes }
    const { file } = await farm.render(film)
    const path = join(folder, `flashes.${outputFormat}`)
    await writeFile(path, file)
    const raw = { encoding: 'buffer', maxBuffer: 2 ** 28 } as const
    const input = ['-v', 'error', '-copyts', '-i', path]
    const gray = ['-vf', 'scale=1:1', '-pix_fmt', 'gray', '-f', 'rawvideo', '-']
    const { stdout: frames } = await run('ffmpeg', [...input, ...gray], raw)
    t.is(frames.length, 120)
    const isWhite = [...frames].map((value) => value > 128)
    t.deepEqual(
      [isWhite.indexOf(true), isWhite.indexOf(false, 30), isWhite.indexOf(true, 60)],
      [30, 60, 90],
    )
    const filter = ['-map', '0:a', '-af', 'aresample=48000:first_pts=0,pan=mono|c0=c0']
    const { stdout } = await run('ffmpeg', [...input, ...filter, '-f', 'f32le', '-'], raw)
    const pcm = new Float32Array(
      stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length),
    )
    for (const from of [0, 96_000]) {
      const onset = pcm.subarray(from + 4_800).findIndex((value) => Math.abs(value) > 0.03) + 4_800
      t.true(
        Math.abs(onset - 48_000) < 240,
        `${outputFormat}: the tone of ${from} begins at ${onset}`,
      )
    }
  }
})
