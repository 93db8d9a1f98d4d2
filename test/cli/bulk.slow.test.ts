import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import test from 'ava'
import { parse } from 'csv-parse/sync'
import { startGateway } from '../api/gateway.ts'
import { farm, newFolder, startFarmCommand } from './run-farm.ts'

const folder = newFolder()
const data = join(folder, 'data')
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

for (const color of ['red', 'blue']) {
  const canvas = createCanvas(8, 8)
  canvas.getContext('2d').fillStyle = color
  canvas.getContext('2d').fillRect(0, 0, 8, 8)
  writeFileSync(join(folder, `${color}.png`), canvas.toBuffer('image/png'))
}
writeFileSync(join(folder, 'lie.png'), 'no picture at all')

const project = {
  type: 'image',
  ...{ width: 64, height: 64 },
  variables: { photo: 'red.png', size: { edge: 64 } },
  visuals: [
    {
      ...{ type: 'IMAGE', src: '{{ photo }}', resize: 'cover' },
      ...{ width: '{{ size.edge }}', height: '{{ size.edge }}' },
    },
  ],
}
writeFileSync(join(folder, 'card.json'), JSON.stringify(project))

async function colorOf(file: string): Promise<number[]> {
  const image = await loadImage(readFileSync(join(folder, 'rows', file)))
  const canvas = createCanvas(image.width, image.height)
  canvas.getContext('2d').drawImage(image, 0, 0)
  return [image.width, ...canvas.getContext('2d').getImageData(5, 5, 1, 1).data]
}

test.serial('each row gets a file, and a report names rows without one', async (t) => {
  t.timeout(240_000)
  const csv =
    'name,photo,size.edge,foto\nAda,blue.png,,\nBob,,,\n=Cleo,lie.png,,\nDot,red.png,-1,\nEve,red.png,64,\n'
  writeFileSync(join(folder, 'rows.csv'), csv.replace('Bob,,', 'Bob,red.png,'))
  const args = ['bulk', 'card.json', '--csv', 'rows.csv', '--data', data]
  const { code, out, err } = await farm(args, { cwd: folder })
  t.is(code, 1, err)
  t.regex(
    err,
    /^farm: the project does not use one column:\n {2}foto: The project does not use the variable "foto"/m,
  )
  t.regex(
    out,
    /^rows\/\n {2}3 of 5 rows rendered in .*, 3 credits\n {2}every row: rows\/results\.csv$/m,
  )
  t.regex(
    err,
    /^farm: 2 rows have no file:\n {2}row 4 \(=Cleo\): .+\n {2}row 5 \(Dot\): visuals\[0\]\.width: /m,
  )
  t.deepEqual(readdirSync(join(folder, 'rows')).toSorted(), [
    ...['Ada.png', 'Bob.png', 'Eve.png', 'results.csv'],
  ])
  t.deepEqual(await colorOf('Ada.png'), [64, 0, 0, 255, 255])
  t.deepEqual(await colorOf('Bob.png'), [64, 255, 0, 0, 255])
  const report: Record<string, string>[] = parse(
    readFileSync(join(folder, 'rows', 'results.csv')),
    { columns: true },
  )
  t.deepEqual(
    report.map(({ row, name, state, file, creditsCharged }) => [
      row,
      name,
      state,
      file,
      creditsCharged,
    ]),
    [
      ['2', 'Ada', 'completed', 'Ada.png', '1'],
      ['3', 'Bob', 'completed', 'Bob.png', '1'],
      ['4', "'=Cleo", 'failed', '', '0'],
      ['5', 'Dot', 'refused', '', '0'],
      ['6', 'Eve', 'completed', 'Eve.png', '1'],
    ],
  )
})

test.serial('when no row can be rendered no farm is started', async (t) => {
  writeFileSync(join(folder, 'none.csv'), 'size.edge\n-1\n0\n')
  const args = ['bulk', 'card.json', '--csv', 'none.csv', '-o', 'none', '--data', join(folder, 'x')]
  const { code, err } = await farm(args, { cwd: folder })
  t.is(code, 1)
  t.regex(err, /^farm: no row can be rendered:\n {2}row 2: .*\n {2}row 3: /m)
  t.false(existsSync(join(folder, 'x')))
  writeFileSync(join(folder, 'lost.csv'), 'photo\nlost.png\n')
  const lost = await farm(['bulk', 'card.json', '--csv', 'lost.csv'], { cwd: folder })
  t.regex(lost.err, /^ {2}row 2: variables\.photo: must be a URL or the path of a file/m)
})

test.serial('many rows go in bulks of the plan’s size; Ctrl-C cancels all', async (t) => {
  t.timeout(120_000)
  const gateway = await startGateway()
  t.teardown(gateway.stop)
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const { key, get } = await gateway.customer(1000)
  const names = Array.from({ length: 51 }, (_, i) => `guest ${i}`)
  writeFileSync(join(folder, 'guests.csv'), ['name', ...names].join('\n'))
  const text = [{ type: 'TEXT', html: '{{ name }}' }]
  writeFileSync(join(folder, 'plain.json'), JSON.stringify({ type: 'image', visuals: text }))
  const run = await startFarmCommand(
    t,
    ['bulk', 'plain.json', '--csv', 'guests.csv', '--name', 'the guests'],
    { cwd: folder, env: { FARM_URL: url, FARM_API_KEY: key } },
  )
  await run.said(/^rendering 0 %, 51 queued$/m)
  run.kill('SIGINT')
  const { code, err } = await run.ended
  t.is(code, 130, err)
  const { bulks } = (await get('/api/render/bulk')).json()
  t.deepEqual(
    bulks.map(({ name, items, counts }: Record<string, unknown>) => [name, items, counts]),
    [1, 50].map((count) => ['the guests', count, { ...noJobs, cancelled: count }]),
  )
  t.is((await get('/api/credits/balance')).json().reserved, 0)
})

const noJobs = {
  ...{ queued: 0, resolving: 0, rendering: 0, assembling: 0 },
  ...{ completed: 0, failed: 0, cancelled: 0 },
}
