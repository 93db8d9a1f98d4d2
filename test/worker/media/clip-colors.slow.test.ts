import { join } from 'node:path'
import test from 'ava'
import type { ClipFormat } from '../../../worker/media/clip-probe.ts'
import { keyOut } from '../../../worker/media/color-key.ts'
import { h264, look, run, scratch } from './clip-look.ts'
import { makeClip, upTo } from './numbered-clip.ts'

/** Colours of a track, in vertical stripes of lossless H.264. */
const stripes = [
  '#ff0000',
  '#00ff00',
  '#0000ff',
  '#ffffff',
  '#808080',
  '#1e5ac8',
  '#000000',
  '#fab414',
]
const stripeFilter = stripes
  .map((color, i) => `drawbox=x=${i * 32}:y=0:w=32:h=64:color=${color}:t=fill`)
  .join(',')

async function stripesIn(file: string, format: ClipFormat) {
  const { decode, at, facts } = await look(file, format)
  const [rgba = Buffer.alloc(0)] = await decode([0])
  return { facts, seen: stripes.map((_, i) => at(rgba, (i + 0.5) / stripes.length, 0.5)) }
}

const rgbOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

async function makeStripes(file: string, filter: string, args: readonly string[]) {
  const input = ['-f', 'lavfi', '-i', `color=s=256x64:d=0.2:r=10,format=gbrp,${stripeFilter}`]
  await run('ffmpeg', ['-v', 'error', '-y', ...input, '-vf', filter, ...args, file])
}

for (const [matrix, name] of [
  ['bt709', 'bt709'],
  ['smpte170m', 'bt601'],
  ['bt2020nc', 'bt2020'],
] as const) {
  for (const range of ['tv', 'pc']) {
    test(`colours are right: matrix ${matrix}, range ${range}`, async (t) => {
      const file = (await scratch(t))('colors.mp4')
      const to = `out_color_matrix=${name}:out_range=${range}`
      await makeStripes(file, `scale=${to}:flags=accurate_rnd+full_chroma_int,format=yuv444p`, [
        ...['-c:v', 'libx264', '-qp', '0', '-colorspace', matrix, '-color_range', range],
        ...['-color_primaries', 'bt709', '-color_trc', 'bt709'],
      ])
      const { seen } = await stripesIn(file, 'mp4')
      for (const [i, color] of seen.entries()) {
        const asked = rgbOf(stripes[i] ?? '')
        const off = asked.map((value, channel) => Math.abs(value - (color[channel] ?? 0)))
        t.true(Math.max(...off) <= 2 && color[3] === 255, `${stripes[i]}: ${color}`)
      }
    })
  }
}

for (const transfer of ['smpte2084', 'arib-std-b67']) {
  test(`HDR becomes BT.709 with its hues and greys: ${transfer}`, async (t) => {
    const file = (await scratch(t))('hdr.mp4')
    const light = 'format=gbrpf32le,zscale=pin=bt709:tin=bt709:p=bt2020:t=linear:npl=203'
    const coded = `zscale=t=${transfer}:npl=203:m=bt2020nc:r=tv,format=yuv444p10`
    await makeStripes(file, `${light},${coded}`, [
      ...['-c:v', 'libx264', '-qp', '0', '-colorspace', 'bt2020nc', '-color_primaries', 'bt2020'],
      ...['-color_trc', transfer],
    ])
    const { seen } = await stripesIn(file, 'mp4')
    for (const [i, color] of seen.entries()) {
      // SDR white keeps headroom for brighter values.
      const asked = rgbOf(stripes[i] ?? '')
      const off = asked.map((value, channel) => value - (color[channel] ?? 0))
      t.true(
        off.every((each) => each > -24 && each < 36),
        `${stripes[i]}: ${color}`,
      )
    }
    const white = seen[3] ?? []
    t.true(Math.max(...white.slice(0, 3)) - Math.min(...white.slice(0, 3)) <= 3, `${white}`)
  })
}

const card = '#c83c28'
const coded = {
  bt709: 'scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int',
  bt601: 'scale=out_color_matrix=bt601:out_range=tv:flags=accurate_rnd+full_chroma_int',
  bt2020: 'scale=out_color_matrix=bt2020:out_range=tv:flags=accurate_rnd+full_chroma_int',
}

/** A plain card in 4:4:4: its stored colour, and the colour that a film shows. */
async function cardColor(
  path: (name: string) => string,
  { size, matrix, args }: { size: string; matrix: keyof typeof coded; args: readonly string[] },
): Promise<number[]> {
  const input = ['-f', 'lavfi', '-i', `color=${card}:s=${size}:d=0.2:r=10,format=gbrp`]
  const encoded = ['-c:v', 'libx264', '-qp', '0', ...args, path('card.mp4')]
  const filter = `${coded[matrix]},format=yuv444p`
  await run('ffmpeg', ['-v', 'error', '-y', ...input, '-vf', filter, ...encoded])
  const { decode, at } = await look(path('card.mp4'), 'mp4')
  const [rgba = Buffer.alloc(0)] = await decode([0])
  return at(rgba, 0.5, 0.5).slice(0, 3)
}

const isNear = (seen: readonly number[], asked: readonly number[]) =>
  asked.every((value, i) => Math.abs(value - (seen[i] ?? 0)) <= 2)

for (const [primaries, transfer, matrix, asked] of [
  ['smpte432', 'bt709', 'bt709', [217, 42, 23]],
  ['smpte432', 'iec61966-2-1', 'bt709', [217, 42, 23]],
  ['smpte431', 'bt709', 'bt709', [212, 43, 24]],
  ['bt2020', 'bt2020-10', 'bt2020', [247, 0, 23]],
  ['bt470bg', 'smpte170m', 'bt601', [204, 61, 40]],
  ['smpte170m', 'smpte170m', 'bt601', [200, 60, 40]],
  ['bt709', 'gamma22', 'bt709', [201, 58, 36]],
  ['bt709', 'gamma28', 'bt709', [188, 36, 18]],
  ['bt709', 'linear', 'bt709', [229, 134, 110]],
] as const) {
  test(`colours are converted to a film's: primaries ${primaries}, curve ${transfer}`, async (t) => {
    const space = { bt709: 'bt709', bt2020: 'bt2020nc', bt601: 'smpte170m' }[matrix]
    const tags = ['-color_primaries', primaries, '-color_trc', transfer, '-colorspace', space]
    const seen = await cardColor(await scratch(t), { size: '64x64', matrix, args: tags })
    t.true(isNear(seen, asked), `${seen}`)
  })
}

test('RGB that is tagged with P3 primaries is converted as well', async (t) => {
  const path = await scratch(t)
  const input = ['-f', 'lavfi', '-i', `color=${card}:s=64x64:d=0.2:r=10,format=rgb24`]
  const args = ['-c:v', 'libx264rgb', '-qp', '0', '-color_primaries', 'smpte432']
  await run('ffmpeg', ['-v', 'error', ...input, ...args, path('rgb.mp4')])
  const { decode, at } = await look(path('rgb.mp4'), 'mp4')
  const [rgba = Buffer.alloc(0)] = await decode([0])
  t.true(isNear(at(rgba, 0.5, 0.5), [217, 42, 23]), `${at(rgba, 0.5, 0.5)}`)
})

for (const [size, matrix] of [
  ['854x480', 'bt601'],
  ['1024x576', 'bt601'],
  ['1138x640', 'bt601'],
  ['1280x720', 'bt709'],
  ['720x1280', 'bt709'],
] as const) {
  test(`a ${size} track naming no matrix counts as ${matrix}, as in Chromium`, async (t) => {
    const seen = await cardColor(await scratch(t), { size, matrix, args: [] })
    t.true(isNear(seen, [200, 60, 40]), `${seen}`)
  })
}

for (const [name, asked] of [
  ['sd-rot90.mp4', [201, 61, 40]],
  ['p3.mp4', [217, 42, 23]],
] as const) {
  test(`colours are right in the sample ${name}`, async (t) => {
    const { decode, at } = await look(join(import.meta.dirname, 'clips', name), 'mp4')
    const [rgba = Buffer.alloc(0)] = await decode([2])
    t.true(isNear(at(rgba, 0.05, 0.05), asked), `${at(rgba, 0.05, 0.05)}`)
  })
}

const fadingRed =
  "color=red:s=160x90:r=10:d=0.5,format=yuva444p,geq=lum='p(X,Y)':cb='p(X,Y)':cr='p(X,Y)':a='X*255/159'"

for (const [title, format, args] of [
  ['VP9', 'webm', ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p', '-crf', '10', '-b:v', '0']],
  ['ProRes 4444', 'mp4', ['-c:v', 'prores_ks', '-profile:v', '4444', '-pix_fmt', 'yuva444p10']],
] as const) {
  test(`alpha is kept, with straight colour under it: ${title}`, async (t) => {
    const file = (await scratch(t))(format === 'mp4' ? 'alpha.mov' : 'alpha.webm')
    await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', fadingRed, ...args, file])
    const { facts, decode, at } = await look(file, format)
    t.true(facts.hasAlpha)
    const key = { color: '#ff0000', similarity: 0.1, blend: 0.5 }
    const [rgba = Buffer.alloc(0)] = await decode([2])
    for (const x of [0.25, 0.5, 0.75]) {
      const [r = 0, g = 0, b = 0, a = 0] = at(rgba, x, 0.5)
      t.true(r > 245 && g < 10 && b < 10 && Math.abs(a - x * 255) < 6, `${[r, g, b, a]}`)
    }
    // A key adds no opacity.
    const [keyed = Buffer.alloc(0)] = await decode([2], { ...key, color: '#00ff00' })
    t.deepEqual(at(keyed, 0.5, 0.5), at(rgba, 0.5, 0.5))
    const [gone = Buffer.alloc(0)] = await decode([2], key)
    t.is(at(gone, 0.5, 0.5)[3], 0)
  })
}

test('a chroma key gives the pixels that it gives of a picture', async (t) => {
  const path = await scratch(t)
  const file = await makeClip(path('clip.mp4'), { numbers: upTo(3), args: h264 })
  const { decode } = await look(file, 'mp4')
  const [plain = Buffer.alloc(0)] = await decode([1])
  for (const similarity of [0, 0.0001, 0.2, 0.45]) {
    const key = { color: '#508040', similarity, blend: 0.15 }
    const [keyed = Buffer.alloc(0)] = await decode([1], key)
    const expected = Buffer.from(plain)
    keyOut(expected, key)
    const off = keyed.map((value, at) => Math.abs(value - (expected[at] ?? 0)))
    t.true(
      off.every((each, at) => each <= (at % 4 === 3 ? 1 : 0)),
      `${similarity}`,
    )
    if (similarity > 0.01) t.false(keyed.equals(plain))
  }
})
