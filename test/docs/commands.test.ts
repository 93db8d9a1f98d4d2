import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'

const pages = ['README.md', 'CONTRIBUTING.md', 'docs/OPERATIONS.md', 'docs/deployment.md']
const more = [
  'docs/installation.md',
  'docs/monitoring.md',
  'docs/cli.md',
  'docs/configuration.md',
  'docs/PERFORMANCE.md',
]
const scripts = Object.keys(JSON.parse(read('package.json')).scripts)

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
}

/** Lines of shell blocks, and code spans, without comments. */
function codeOf(text: string): string[] {
  const fenced = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
  const blocks = fenced.flatMap(([, language = '', block = '']) =>
    ['', 'sh'].includes(language) ? [block] : [],
  )
  const spans = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)]
  return [
    ...blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')),
    ...spans.map(([, span = '']) => span),
  ].map((line) => line.replace(/ #.*$/, ''))
}

for (const page of [...pages, ...more]) {
  test(`the farm and npm commands of ${page} exist with their options`, (t) => {
    for (const code of codeOf(read(page))) {
      const [, argv] = /(?:^|[ /])farm ([a-z].*)$/.exec(code) ?? []
      if (argv !== undefined) t.is(faultOf(argv.split(/\s+/), createProgram()), undefined, code)
      const [, script] = /^npm run (?:-s )?([\w:]+)/.exec(code) ?? []
      if (script !== undefined) t.true(scripts.includes(script), code)
    }
  })
}

test('a package that npx fetches is named with its version', (t) => {
  const local = new Set([
    'farm',
    ...readdirSync(new URL('../../node_modules/.bin', import.meta.url)),
  ])
  const documents = readdirSync(new URL('../../docs', import.meta.url), { recursive: true })
  const all = ['README.md', 'CONTRIBUTING.md', ...documents.map((name) => `docs/${name}`)]
  const fetched = all
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => codeOf(read(name)))
    .flatMap((code) => /(?:^|\s)npx (?:-\S+ )*([^-\s]\S*)/.exec(code)?.[1] ?? [])
    .filter((name) => !local.has(name))
  t.true(fetched.some((name) => name.startsWith('@modelcontextprotocol/inspector')))
  for (const name of fetched) t.regex(name, /^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/)
})

/** Walks down the subcommands, then looks for each option. */
function faultOf(argv: readonly string[], program: Command): string | undefined {
  let command = program
  let depth = 0
  for (const word of argv) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
    depth += 1
  }
  if (depth === 0) return `no command ${argv[0]}`
  const options = argv.slice(depth).filter((word) => /^--?[a-z]/.test(word))
  const isKnown = (option: string) =>
    command.options.some(({ long, short }) => long === option || short === option) ||
    ['--help', '-h'].includes(option) ||
    command.commands.some((each) => each.options.some(({ long }) => long === option))
  return options.find((option) => !isKnown(option.replace(/[,.;:=].*$/, '')))
}

test('log lines that the pages quote stand in the code', (t) => {
  const quoted = {
    'docs/OPERATIONS.md': {
      'a task event could not be sent': 'workflows/outbox/relay.ts',
      'the ledger could not be checked': 'workflows/janitor/check-ledger.ts',
    },
    'docs/deployment.md': {
      'the connection to Temporal broke': 'workflows/worker.ts',
      'a decoder that waited for a picture has ended': 'worker/media/picture-decoders.ts',
      'GPU decoding tried': 'worker/media/gpu-decoding.ts',
      'cores counted': 'worker/main.ts',
    },
    'docs/monitoring.md': {
      'spans may be lost': 'runtime/tracing/exporter-diagnostics.ts',
      'broken request': 'api/gateway/broken-requests.ts',
    },
  }
  for (const [page, lines] of Object.entries(quoted)) {
    for (const [line, file] of Object.entries(lines)) {
      t.true(read(page).includes(`\`${line}\``), `${page}: ${line}`)
      t.true(read(file).includes(`'${line}'`), `${file}: ${line}`)
    }
  }
})
