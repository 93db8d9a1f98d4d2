import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root }).toString().trim().split('\n')
/** `[text](target)` and `![text](target)`. */
const link = /\]\(([^)\s]+)\)/g

test('every link between documents leads to an existing file and heading', (t) => {
  const broken = pages.flatMap((page) => {
    const text = withoutCode(readFileSync(join(root, page), 'utf8'))
    return [...text.matchAll(link)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !isThere(page, target))
      .map((target) => `${page}: ${target}`)
  })
  t.deepEqual(broken, [])
})

test('docs/README.md lists every page of docs/', (t) => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const own = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md')
  t.deepEqual(
    own.filter((page) => !index.includes(`(${page.slice('docs/'.length)})`)),
    [],
  )
})

function isThere(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? join(root, page) : join(root, dirname(page), path)
  if (!existsSync(file)) return false
  if (heading === undefined || statSync(file).isDirectory()) return true
  return headingsOf(file).includes(heading)
}

/** Returns the anchors that GitHub gives to the headings of a page. */
function headingsOf(file: string): string[] {
  const text = withoutCode(readFileSync(file, 'utf8'))
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, (code) => {
    return code.replaceAll(/[()[\]]/g, '')
  })
}
