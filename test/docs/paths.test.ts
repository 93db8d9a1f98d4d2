import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = execFileSync('git', ['ls-files'], { cwd: root }).toString().trim().split('\n')
const paths = new Set(
  files.flatMap((file) => {
    const parts = file.split('/')
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  }),
)
const rooms = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))
/** Decisions and history tell of their time. */
const pages = files.filter(
  (file) => /\.md$/.test(file) && !/^(docs\/(decisions|history)\/|CHANGELOG)/.test(file),
)

test('files and folders that a document names exist', (t) => {
  const absent = pages.flatMap((page) =>
    [...readFileSync(`${root}${page}`, 'utf8').matchAll(/`([a-z][\w.-]*\/[\w./-]*)`/g)]
      .map(([, path = '']) => path.replace(/\/$/, ''))
      .filter((path) => rooms.has(path.split('/')[0]) && !/NAME|VERSION/.test(path))
      .filter((path) => !paths.has(path))
      .map((path) => `${page}: ${path}`),
  )
  t.deepEqual(absent, [])
})
