import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { ownFfmpeg } from '../../../infra/setup/cache.mjs'
import { sounds } from '../../../worker/encode/container.ts'
import { segmentArgs } from '../../../worker/encode/video.ts'
import { readClipHeader } from '../../../worker/media/clip-probe.ts'
import { clipArgs } from '../../../worker/media/clip-stream.ts'
import { findFfmpeg } from '../../../worker/process/ffmpeg.ts'
import { encoderOf, outputOf, sandbox, workOf, writeWav } from '../encode/film-of.ts'

const execute = promisify(execFile)

/** Runs a program and returns its stdout. */
async function said(program: string, args: readonly string[]): Promise<Buffer> {
  const { stdout } = await execute(program, args, { encoding: 'buffer', maxBuffer: 2 ** 28 })
  return stdout
}

test('FARM_FFMPEG must name a folder that has both programs', async (t) => {
  const { dir } = await workOf(t)
  const error = t.throws(() => findFfmpeg({ FARM_FFMPEG: dir }))
  t.is(error?.message, `FARM_FFMPEG must be a folder with ffmpeg and ffprobe. Got "${dir}"`)
})

test('a process keeps its ffmpeg when the farm’s own is built meanwhile', async (t) => {
  const { dir } = await workOf(t)
  const cache = join(dir, process.platform === 'darwin' ? 'Library/Caches/farm' : 'farm')
  const script = `
    const { mkdirSync, writeFileSync } = await import('node:fs')
    const { programPath } = await import(process.argv[1])
    const before = programPath('ffmpeg')
    mkdirSync(process.argv[2], { recursive: true })
    for (const name of ['ffprobe', 'ffmpeg']) {
      writeFileSync(process.argv[2] + '/' + name, '#!/bin/sh\\n', { mode: 0o755 })
    }
    console.log(before, programPath('ffmpeg'), programPath('ffprobe'))`
  const module = new URL('../../../worker/process/ffmpeg.ts', import.meta.url).href
  const own = join(cache, 'ffmpeg')
  const argv = ['--input-type=module', '-e', script, module, own]
  const { FARM_FFMPEG: _, ...around } = process.env
  const env = { ...around, HOME: dir, XDG_CACHE_HOME: dir }
  const ask = async () => String((await execute(process.execPath, argv, { env })).stdout)
  t.is(await ask(), 'ffmpeg ffmpeg ffprobe\n')
  t.is(await ask(), `${join(own, 'ffmpeg')} ${join(own, 'ffmpeg')} ${join(own, 'ffprobe')}\n`)
})

// The farm uses the system's ffmpeg when it has none of its own; there is nothing to compare then.
const own = ownFfmpeg()
const together = own === undefined ? test.skip : test
const programs = ['ffmpeg', join(own ?? '', 'ffmpeg')] as const

/** Sharp edges in flat colours, and pictures that zoom, fade in and have grain. */
const pictures = {
  drawn: 'testsrc2=s=320x180:r=30:d=1',
  zoomed:
    'mandelbrot=s=320x180:r=30:end_scale=0.01:end_pts=60,trim=duration=3,fade=in:0:30,noise=alls=5:allf=t:all_seed=3',
}

for (const [format, encoder, kind] of Object.entries(encoderOf).flatMap(([format, encoder]) =>
  (['drawn', 'zoomed'] as const).map((kind) => [format, encoder, kind] as const),
)) {
  together(
    `the farm's own ffmpeg writes the bytes of the system's: ${format}, ${kind}`,
    async (t) => {
      const { dir } = await workOf(t)
      const raw = join(dir, 'frames.yuv')
      const picture = `${pictures[kind]},format=yuv420p`
      await execute('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'rawvideo', raw])
      const film = { width: 320, height: 180, frameRate: 30, encoder, keyFrames: [12] }
      const files = programs.map((_, i) => join(dir, `${i}.mp4`))
      for (const [i, program] of programs.entries()) {
        const args = segmentArgs(film, files[i] ?? '').map((arg) => (arg === 'pipe:0' ? raw : arg))
        await said(program, args)
      }
      const [system, farms] = await Promise.all(files.map((file) => readFile(file)))
      t.true((system?.length ?? 0) > 10_000)
      t.true(system && farms?.equals(system))
    },
  )
}

for (const [name, { args }] of Object.entries(sounds)) {
  together(`the farm's own ffmpeg writes the bytes of the system's: ${name}`, async (t) => {
    const { dir } = await workOf(t)
    const wav = join(dir, 'sound.wav')
    await writeWav(wav, { samples: 48_000, channels: 2 }, (n, channel) =>
      channel === 0 ? 0.3 * Math.sin(n / 17) : 0.2 * Math.sin(n / 5 + n * n * 1e-6),
    )
    const exact = ['-flags:a', '+bitexact', '-fflags', '+bitexact']
    const argv = ['-v', 'error', '-i', wav, ...args, ...exact, '-f', 'framemd5', '-']
    const [system, farms] = await Promise.all(programs.map((program) => said(program, argv)))
    t.true(String(system).split('\n').length > 30)
    t.is(String(farms), String(system))
  })
}

for (const [codec, argv] of [
  ['H.264', ['-c:v', 'libx264', '-preset', 'ultrafast']],
  [
    'HEVC of 10 bits, BT.2020 and PQ',
    [
      ...['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-tag:v', 'hvc1'],
      ...['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'],
    ],
  ],
  ['MPEG-4', ['-c:v', 'mpeg4', '-q:v', '2']],
  ['ProRes', ['-c:v', 'prores_ks']],
] as const) {
  together(`the farm's own ffmpeg decodes to the pixels of the system's: ${codec}`, async (t) => {
    const { dir } = await workOf(t)
    const file = join(dir, 'clip')
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=30:d=0.5']
    await outputOf('ffmpeg', ...source, ...argv, '-f', 'mov', file)
    const clip = { file, format: 'mp4' } as const
    const header = await readClipHeader(clip, { sandbox })
    if ('failure' in header) return t.fail(header.failure)
    const wanted = { frames: [0, 4, 9], frameRate: [30, 1], size: [200, 112] } as const
    const args = clipArgs({ clip, header, wanted }, 'rawvideo')
    const [system, farms] = await Promise.all(programs.map((program) => said(program, args)))
    t.is(system?.length, 3 * 200 * 112 * 4)
    t.true(system && farms?.equals(system))
  })
}

const seconds = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=10:d=1', '-f', 'lavfi', '-i', 'sine=d=1']

test('a clip with an unsupported sound codec is refused by any ffmpeg', async (t) => {
  const { dir } = await workOf(t)
  const file = join(dir, 'clip')
  await outputOf('ffmpeg', ...seconds, '-c:v', 'libx264', '-c:a', 'pcm_f32be', '-f', 'mov', file)
  const header = await readClipHeader({ file, format: 'mp4' }, { sandbox })
  t.regex('failure' in header ? header.failure : '', /pcm_f32be/)
})

test('a clip with subtitles is taken', async (t) => {
  const { dir } = await workOf(t)
  const words = join(dir, 'words.srt')
  await writeFile(words, '1\n00:00:00,000 --> 00:00:01,000\nHello\n')
  for (const kind of ['subrip', 'ass', 'webvtt']) {
    const file = join(dir, kind)
    const codecs = ['-c:v', 'libx264', '-c:a', 'aac', '-c:s', kind, '-f', 'matroska']
    await outputOf('ffmpeg', ...seconds, '-i', words, ...codecs, file)
    const header = await readClipHeader({ file, format: 'webm' }, { sandbox })
    t.like(header, { codec: 'h264', hasAudio: true }, kind)
  }
})

test('a WAV that holds AC-3 is heard as AC-3', async (t) => {
  const { dir } = await workOf(t)
  const ac3 = join(dir, 'ac3')
  await outputOf('ffmpeg', ...seconds, '-vn', '-c:a', 'ac3', '-b:a', '192k', '-f', 'spdif', ac3)
  const file = await wavOf(ac3, join(dir, 'wav'))
  const said = await sandbox.run({
    program: 'ffprobe',
    args: [
      '-v',
      'error',
      '-show_entries',
      'stream=codec_name',
      '-of',
      'csv=p=0',
      '-f',
      'wav',
      file,
    ],
    timeoutMs: 10_000,
  })
  t.is(said.stdout.trim(), 'ac3')
})

/** A WAV of 16 bits, stereo, that holds these bytes. */
async function wavOf(raw: string, file: string): Promise<string> {
  const args = [
    '-f',
    's16le',
    '-ar',
    '48000',
    '-ac',
    '2',
    '-i',
    raw,
    '-c',
    'copy',
    '-f',
    'wav',
    file,
  ]
  await outputOf('ffmpeg', ...args)
  return file
}
