import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { farm, newFolder } from './run-farm.ts'

const folder = newFolder()

function project(name: string, content: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test('--help names every command and ends well', async (t) => {
  const { code, out } = await farm(['--help'])
  t.is(code, 0)
  for (const command of [
    ...[
      'render',
      'validate',
      'explain',
      'dev',
      'doctor',
      'api',
      'scheduler',
      'workflows',
      'worker',
      'control',
      'migrate',
      'accounts',
      'users',
      'keys',
      'credits',
      'webhooks',
    ],
  ]) {
    t.regex(out, new RegExp(`^ {2}${command} `, 'm'))
  }
})

test('an unknown command, option or value ends with code 2', async (t) => {
  for (const args of [['paint'], ['dev', '--fast'], ['dev', '--workers', '0'], ['render']]) {
    const { code, err } = await farm(args)
    t.is(code, 2, args.join(' '))
    t.regex(err, /^error: /)
  }
})

test('a wrong output ending ends with code 2 before a farm starts', async (t) => {
  const still = { type: 'image', visuals: [{ type: 'TEXT', text: 'x' }] }
  const args = ['render', project('still.json', still), '-o', join(folder, 'x.mp4')]
  const { code, out, err } = await farm(args, { cwd: folder })
  t.is(code, 2)
  t.is(out, '')
  t.regex(err, /^farm: --output must end in \.png, .*\. Got .*x\.mp4$/m)
})

test('--var must be name=value', async (t) => {
  const { code, err } = await farm(['render', 'x.json', '--var', 'title'])
  t.is(code, 2)
  t.regex(err, /must look like name=value\. Got title/)
})

test('a role without its environment names the missing variable in one sentence', async (t) => {
  const { code, err } = await farm(['api'])
  t.is(code, 2)
  t.is(err, 'farm: DATABASE_URL must be the URL of a Postgres database. Got nothing\n')
})

test('a missing or invalid file ends with code 1 and its name', async (t) => {
  const absent = await farm(['render', 'nowhere.json'])
  t.is(absent.code, 1)
  t.is(absent.err, 'farm: nowhere.json cannot be read: there is no such file\n')
  const broken = await farm(['validate', project('broken.json', '{"visuals": [')])
  t.is(broken.code, 1)
  t.regex(broken.err, /broken\.json must hold JSON: /)
  const list = await farm(['validate', project('list.json', '[1]')])
  t.is(list.code, 1)
  t.regex(list.err, /list\.json must be a JSON object\. Got \[1\]/)
})

test('validate tells each fault with its field, none for a good project', async (t) => {
  const bad = project('bad.json', {
    duration: 0,
    colour: 'red',
    visuals: [{ type: 'TEXT', text: 'a', opacity: 2 }],
  })
  const { code, err, out } = await farm(['validate', bad])
  t.is(code, 1)
  t.is(out, '')
  t.regex(err, /^farm: the project has 3 faults:$/m)
  for (const field of ['duration', 'colour', 'visuals\\[0\\]\\.opacity']) {
    t.regex(err, new RegExp(`^ {2}${field}: `, 'm'))
  }
  const good = project('good.json', { duration: 2, visuals: [{ type: 'TEXT', text: 'a' }] })
  const valid = await farm(['validate', good])
  t.is(valid.code, 0)
  t.is(valid.out, `ok: ${good}\n  2 s at 30 fps, 1280x720, mp4, 2 credits\n`)
})

test('validate applies the limits of the given plan', async (t) => {
  const wide = project('wide.json', { type: 'image', width: 3000 })
  t.is((await farm(['validate', wide])).code, 0)
  const free = await farm(['validate', wide, '--plan', 'free'])
  t.is(free.code, 1)
  t.regex(free.err, /^ {2}width: /m)
  t.is((await farm(['validate', wide, '--plan', 'gold'])).code, 2)
})

test('render tells a project’s faults before it starts a farm', async (t) => {
  const bad = project('bad-render.json', { duration: -1 })
  const { code, err } = await farm(['render', bad])
  t.is(code, 1)
  t.regex(err, /^ {2}duration: /m)
  t.notRegex(err, /starting the farm/)
})

test('a farm elsewhere cannot read local files: each field is named', async (t) => {
  project('photo.png', 'not looked at')
  const file = project('local.json', {
    visuals: [
      { type: 'IMAGE', src: 'photo.png' },
      { type: 'IMAGE', src: 'https://example.com/a.png' },
    ],
    scenes: [{ duration: 1, visuals: [{ type: 'IMAGE', src: './photo.png' }] }],
  })
  const env = { FARM_URL: 'http://127.0.0.1:9', FARM_API_KEY: 'svc_0' }
  const { code, err } = await farm(['render', file], { env })
  t.is(code, 1)
  const fields = [...err.matchAll(/^ {2}(\S+): must be a URL/gm)].map(([, field]) => field)
  t.deepEqual(fields, ['visuals[0].src', 'scenes[0].visuals[0].src'])
})

test('a farm that is unreachable, or lacks a key, is reported', async (t) => {
  const file = project('remote.json', { duration: 1 })
  const away = await farm(['render', file], {
    env: { FARM_URL: 'http://127.0.0.1:9', FARM_API_KEY: 'svc_0' },
  })
  t.is(away.code, 1)
  t.regex(away.err, /the farm at http:\/\/127\.0\.0\.1:9 cannot be reached: /)
  const keyless = await farm(['render', file], { env: { FARM_URL: 'http://127.0.0.1:9' } })
  t.is(keyless.code, 2)
  t.regex(keyless.err, /FARM_API_KEY must be set when FARM_URL is/)
})
