import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import { sniffFile } from '../../../runtime/media/sniff.ts'
import { inspectPicture, loadPictures } from '../../../worker/media/picture.ts'
import { inspectSound } from '../../../worker/media/sound.ts'
import { outputOf, writeWav } from '../encode/film-of.ts'
import { pictureWorkOf } from './picture-work.ts'

const field = 'scenes[0].visuals[2].src'
type Work = Awaited<ReturnType<typeof pictureWorkOf>>

/** Inspects any file as ingest does. */
async function inspect(file: string, work: Work) {
  const sniffed = await sniffFile(file)
  if (sniffed.kind === 'image') {
    return inspectPicture({ file, digest: 'd', format: sniffed.format, field }, work)
  }
  if (sniffed.kind === 'audio') return inspectSound({ file, format: sniffed.format, field }, work)
  return sniffed.kind
}

const pictures = {
  png: ['-c:v', 'png', '-f', 'image2'],
  jpeg: ['-c:v', 'mjpeg', '-f', 'image2'],
  webp: ['-c:v', 'libwebp', '-f', 'image2'],
  gif: ['-f', 'gif'],
  avif: ['-c:v', 'libaom-av1', '-still-picture', '1', '-cpu-used', '8', '-f', 'avif'],
}
const sounds = {
  mp3: ['-c:a', 'libmp3lame', '-f', 'mp3'],
  wav: ['-f', 'wav'],
  ogg: ['-c:a', 'libvorbis', '-f', 'ogg'],
  flac: ['-f', 'flac'],
  mp4: ['-c:a', 'aac', '-f', 'mp4'],
  webm: ['-c:a', 'libopus', '-f', 'webm'],
}
const film = { mp4: ['-c:v', 'libx264'], webm: ['-c:v', 'libvpx'] }
const make = (dir: string, source: string, args: readonly string[]) =>
  outputOf('ffmpeg', '-y', '-f', 'lavfi', '-i', source, ...args, join(dir, 'media'))

/** The intact part of these is shown, as in browsers. */
const shownInPart: readonly string[] = ['png', 'jpeg', 'gif']

for (const [format, args] of Object.entries(pictures)) {
  const isShown = shownInPart.includes(format)
  const fate = isShown ? 'used as far as it goes, with a warning' : 'refused by its field'
  test(`a whole ${format} is a picture, and a truncated one is ${fate}`, async (t) => {
    const work = await pictureWorkOf(t)
    await make(work.dir, 'testsrc=s=96x64', ['-frames:v', '1', ...args])
    const file = join(work.dir, 'media')
    const facts = await inspect(file, work)
    t.like(facts, { kind: 'image', format, width: 96, height: 64, hasAlpha: false })
    await truncate(file, Math.floor((await readFile(file)).length * 0.6))
    if (isShown) {
      const cut = await inspect(file, work)
      t.like(cut, { kind: 'image', format, width: 96, height: 64, hasAlpha: true })
      if (typeof cut !== 'object' || cut.kind !== 'image') return t.fail()
      return t.regex(String(cut.warnings), /is cut off\. The \d+ % of the picture/)
    }
    const error = await t.throwsAsync<FarmError>(inspect(file, work))
    t.is(error?.code, 'media_invalid')
    return t.is(error?.field, field)
  })
}

for (const [format, args] of Object.entries(sounds)) {
  test(`a whole ${format} is sound of its length`, async (t) => {
    const work = await pictureWorkOf(t)
    await make(work.dir, 'sine=frequency=500:sample_rate=48000:duration=2', args)
    const facts = await inspect(join(work.dir, 'media'), work)
    t.like(facts, { kind: 'audio', format, sampleRate: 48_000, channels: 1 })
    if (typeof facts !== 'object' || facts.kind !== 'audio') return t.fail()
    t.true(Math.abs(facts.duration - 2) < 0.03)
    return t.is(facts.warnings, undefined)
  })
}

test('an mp4 cut off before its tables is refused by its field', async (t) => {
  const work = await pictureWorkOf(t)
  await make(work.dir, 'sine=duration=2', sounds.mp4)
  const file = join(work.dir, 'media')
  await truncate(file, Math.floor((await readFile(file)).length * 0.6))
  const error = await t.throwsAsync<FarmError>(inspect(file, work))
  t.is(error?.code, 'media_invalid')
  t.is(error?.field, field)
})

for (const [format, video] of Object.entries(film)) {
  test(`an ${format} film’s sound track is taken; a soundless film is refused`, async (t) => {
    const work = await pictureWorkOf(t)
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=1', '-shortest']
    await make(work.dir, 'testsrc=s=64x64:d=1', [...sound, ...video, '-f', format])
    t.like(await inspect(join(work.dir, 'media'), work), { kind: 'audio', format })
    await make(work.dir, 'testsrc=s=64x64:d=1', [...video, '-f', format])
    const error = await t.throwsAsync<FarmError>(inspect(join(work.dir, 'media'), work))
    t.is(error?.code, 'media_invalid')
  })
}

test('an mp3 with a cover is sound', async (t) => {
  const work = await pictureWorkOf(t)
  const cover = ['-f', 'lavfi', '-i', 'testsrc=s=32x32:d=0.04', '-map', '0', '-map', '1']
  const args = ['-c:v', 'png', '-frames:v', '1', '-disposition:v', 'attached_pic', '-f', 'mp3']
  await make(work.dir, 'sine=duration=1', [...cover, ...args])
  t.like(await inspect(join(work.dir, 'media'), work), {
    kind: 'audio',
    format: 'mp3',
    duration: 1,
  })
})

test('a playlist, page or script is no media, whatever its name says', async (t) => {
  const work = await pictureWorkOf(t)
  const texts = {
    playlist: '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n',
    concat: 'ffconcat version 1.0\nfile /etc/passwd\n',
    page: '<!DOCTYPE html><html></html>',
    text: 'just text',
    empty: '',
  }
  for (const [name, text] of Object.entries(texts)) {
    const file = join(work.dir, name)
    await writeFile(file, text)
    t.is(await inspect(file, work), 'unknown', name)
  }
  const svg = join(work.dir, 'svg')
  await writeFile(svg, '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>')
  t.is(await inspect(svg, work), 'svg')
})

test('a playlist behind an mp4’s first bytes reads no local file', async (t) => {
  const work = await pictureWorkOf(t)
  const file = join(work.dir, 'media')
  const head = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42')
  await writeFile(
    file,
    Buffer.concat([head, Buffer.from('\n#EXTM3U\n#EXTINF:9,\nfile:///etc/passwd\n')]),
  )
  const error = await t.throwsAsync<FarmError>(inspect(file, work))
  t.is(error?.code, 'media_invalid')
  t.false(String(error?.cause).includes('root:'))
})

test('silence without a sample is no sound', async (t) => {
  const work = await pictureWorkOf(t)
  const file = await writeWav(join(work.dir, 'media'), { samples: 0 }, () => 0)
  const error = await t.throwsAsync<FarmError>(inspect(file, work))
  t.is(error?.code, 'media_invalid')
})

test('a photograph turns upright, keeps its colours, and its pixels stay cached', async (t) => {
  const { default: sharp } = await import('sharp')
  const work = await pictureWorkOf(t)
  const file = join(work.dir, 'media')
  const left = { create: { width: 40, height: 20, channels: 3 as const, background: '#c81e28' } }
  await sharp(left).withMetadata({ orientation: 6 }).png().toFile(file)
  const facts = await inspectPicture({ file, digest: 'd', format: 'png', field }, work)
  t.like(facts, { width: 20, height: 40 })
  const open = () => t.fail('the cache was not asked') as never
  const [picture] = await loadPictures([{ pixels: { kind: 'media', digest: 'd' }, open }], work)
  t.is(picture?.width, 20)
  t.deepEqual([...(picture?.rgba.subarray(0, 4) ?? [])], [0xc8, 0x1e, 0x28, 255])
  t.is(picture?.rgba.length, 20 * 40 * 4)
})
