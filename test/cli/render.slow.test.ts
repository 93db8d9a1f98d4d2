import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import test from 'ava'
import { leftAfterAWhile } from '../infra/living.ts'
import { farm, newFolder, startFarmCommand } from './run-farm.ts'

const folder = newFolder()
const data = join(folder, 'data')
/** Addresses of the modules that the first render has loaded, in all its processes. */
const modules = join(folder, 'modules')
const logModules = {
  NODE_OPTIONS: `--import ${new URL('log-modules.mjs', import.meta.url).href}`,
  FARM_TEST_MODULES: modules,
}
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const red = createCanvas(64, 64)
red.getContext('2d').fillStyle = '#c00000'
red.getContext('2d').fillRect(0, 0, 64, 64)
writeFileSync(join(folder, 'red.png'), red.toBuffer('image/png'))

function project(name: string, content: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(content))
  return name
}

test.serial('a film with a local picture is rendered by its own farm', async (t) => {
  const file = project('film.json', {
    width: 64,
    height: 64,
    duration: 1,
    variables: { size: 10 },
    visuals: [{ type: 'IMAGE', src: 'red.png', width: '{{ size }}', height: '{{ size }}' }],
  })
  const args = ['render', file, '--data', data, '--var', 'size=64']
  const { code, out, err } = await farm(args, { cwd: folder, env: logModules })
  t.is(code, 0, err)
  t.regex(err, /^starting the farm 0 %$/m)
  t.regex(out, /^film\.mp4\n {2}1\.00 s, 64x64, \d+ kB\n {2}rendered in [\d.]+ s, including/m)
  t.is(readFileSync(join(folder, 'film.mp4')).toString('latin1', 4, 8), 'ftyp')
  t.deepEqual(await leftAfterAWhile(data), [])
})

test.serial('a render loads nothing that serves agents and their sign-in', (t) => {
  const loaded = readFileSync(modules, 'utf8').trimEnd().split('\n')
  for (const role of ['api/server.ts', 'workflows/main.ts', 'worker/main.ts']) {
    t.true(loaded.some((url) => url.endsWith(`/${role}`)))
  }
  const ofPackages = /\/node_modules\/(oidc-provider|@modelcontextprotocol)\//
  const tools = new URL('../../agent/', import.meta.url).href
  t.deepEqual(
    loaded.filter((url) => ofPackages.test(url) || url.startsWith(tools)),
    [],
  )
})

test.serial('a still is written to the given folder, which is created', async (t) => {
  const file = project('still.json', {
    type: 'image',
    width: 64,
    height: 64,
    visuals: [{ type: 'IMAGE', src: 'red.png' }],
  })
  const args = ['render', file, '-o', 'new/stills/', '--data', data]
  const { code, err } = await farm(args, { cwd: folder })
  t.is(code, 0, err)
  t.is(readFileSync(join(folder, 'new', 'stills', 'still.png')).toString('latin1', 1, 4), 'PNG')
})

test.serial('frames by the painter alone are another film, which replaces none', async (t) => {
  const photo = createCanvas(160, 90)
  const context = photo.getContext('2d')
  for (let x = 0; x < 160; x += 1) {
    context.fillStyle = `hsl(${x * 9}, 80%, ${20 + (x % 60)}%)`
    context.fillRect(x, 0, 1, 90)
  }
  writeFileSync(join(folder, 'photo.png'), photo.toBuffer('image/png'))
  const zooming = { type: 'IMAGE', src: 'photo.png', width: 96, height: 54, zoom: { depth: 2 } }
  const file = project('zoom.json', { width: 96, height: 54, duration: 1, visuals: [zooming] })
  const rendered = async (output: string, env: Record<string, string>) => {
    const args = ['render', file, '-o', output, '--data', data]
    const { code, err } = await farm(args, { cwd: folder, env })
    t.is(code, 0, err)
    return readFileSync(join(folder, output))
  }
  const usual = await rendered('usual.mp4', {})
  const painted = await rendered('painted.mp4', { FARM_FRAME_SOURCES: 'painter' })
  const again = await rendered('again.mp4', {})
  t.false(painted.equals(usual))
  t.true(again.equals(usual))
})

test.serial('--watch opens a page that plays on after the render, until Ctrl-C', async (t) => {
  const opened = join(folder, 'opened')
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$1" >${opened}\n`, { mode: 0o755 })
  const file = project('watched.json', {
    ...{ name: 'Watched', width: 64, height: 64, duration: 2 },
    visuals: [{ type: 'IMAGE', src: 'red.png', zoom: { depth: 2 } }],
  })
  const env = { DISPLAY: ':99', PATH: `${folder}:${process.env.PATH}` }
  const run = await startFarmCommand(t, ['render', file, '--data', data, '--watch'], {
    ...{ cwd: folder, env },
  })
  const said = await run.said(/plays on until Ctrl-C/)
  const [, page = ''] = /^watch: (http:.*)$/m.exec(said) ?? []
  t.regex(said, /^watched\.mp4$/m)
  t.is(readFileSync(opened, 'utf8').trim(), page)
  t.is((await fetch(page)).status, 200)
  const playlist = await fetch(`${page.replace('/watch/', '/play/')}/pictures.m3u8`)
  t.regex(await playlist.text(), /#EXT-X-ENDLIST/)
  run.kill('SIGINT')
  const { code, err } = await run.ended
  t.is(code, 0, err)
  t.deepEqual(await leftAfterAWhile(data), [])
})

test.serial('--watch says why there is nothing to watch, and ends', async (t) => {
  const file = project('webm.json', {
    ...{ width: 64, height: 64, duration: 1, outputFormat: 'webm' },
    visuals: [{ type: 'IMAGE', src: 'red.png' }],
  })
  const { code, err } = await farm(['render', file, '--data', data, '--watch'], { cwd: folder })
  t.is(code, 0, err)
  t.regex(err, /^nothing to watch: .* This film is webm\.$/m)
})

test.serial('a failed job ends with code 1, its reason and the field', async (t) => {
  writeFileSync(join(folder, 'lie.png'), 'no picture at all')
  const file = project('lie.json', { duration: 1, visuals: [{ type: 'IMAGE', src: 'lie.png' }] })
  const { code, out, err } = await farm(['render', file, '--data', data], { cwd: folder })
  t.is(code, 1)
  t.is(out, '')
  t.regex(err, /^farm: the job was not completed: /m)
  t.regex(err, /^ {2}visuals\[0\]\.src: /m)
})

test.serial('Ctrl-C ends with code 130 and leaves no file and no process', async (t) => {
  const file = project('long.json', {
    duration: 600,
    visuals: [{ type: 'IMAGE', src: 'red.png', resize: 'cover', zoom: { depth: 4 } }],
  })
  const run = await startFarmCommand(t, ['render', file, '--data', data], { cwd: folder })
  await run.said(/^rendering /m)
  run.kill('SIGINT')
  const { code, err } = await run.ended
  t.is(code, 130)
  t.regex(err, /farm: interrupted/)
  t.throws(() => readFileSync(join(folder, 'long.mp4')), { code: 'ENOENT' })
  t.deepEqual(await leftAfterAWhile(data), [])
})
