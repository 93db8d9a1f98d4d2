import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')

test('"Follow one render" has at most 15 files, each naming the next', (t) => {
  const [, section = ''] = read('docs/ARCHITECTURE.md').split('## Follow one render\n')
  const [list = ''] = section.split('\n## ')
  const files = [...list.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file)
  t.true(files.length > 5 && files.length <= 15)
  const silent = files.flatMap((file, i) => {
    const next = files[i + 1]
    const isNamed = next === undefined || read(file).includes(`/${basename(next)}`)
    return isNamed || read(file).includes(`(${basename(next)})`) ? [] : [`${file}: ${next}`]
  })
  t.deepEqual(silent, [])
})
