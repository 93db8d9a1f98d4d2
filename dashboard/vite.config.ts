import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** Gateway that `npm run dashboard` sends calls to. */
const farm = process.env.FARM_URL ?? 'http://127.0.0.1:8080'
/** Addresses of the gateway that are no pages of the dashboard. */
const calls = [
  '/api',
  '/objects',
  '/docs',
  '/openapi.json',
  '/play',
  '/download',
  '/watch',
  '/oauth',
  '/healthz',
]

/**
 * Modules that most pages share, as one file: each file costs 1.6 kB of headers. Large ones that few pages
 * need stay apart.
 */
const sharedParts = {
  name: 'shared',
  test: /\/dashboard\/src\/(?:live|words|session|ui)\/(?!virtual-list|hosts-in|json|\w+-dialog)|\/core\/[\w-]+\.ts$/,
  minShareCount: 3,
}

/** Rules that the editor and New bulk share, as one file beside what each has alone: two pack worse. */
const sharedRules = { name: 'rules', minShareCount: 2 }

export default defineConfig({
  root: folder('.'),
  // Its parser for browsers, which needs nothing of Node.
  resolve: { alias: { 'csv-parse/sync': 'csv-parse/browser/esm/sync' } },
  build: {
    outDir: folder('../out/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the pages allows files of their own only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [sharedParts] } } },
  },
  plugins: [compressed()],
  worker: {
    format: 'es',
    plugins: () => [leanPackages()],
    rolldownOptions: { output: { codeSplitting: { groups: [sharedRules] } } },
  },
  server: { proxy: Object.fromEntries(calls.map((path) => [path, { target: farm }])) },
})

/** Writes each text file of the build compressed beside it, once, instead of at each request. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const names = await readdir(dir, { recursive: true })
      const texts = names.filter((name) => /\.(?:js|css|html|svg)$/.test(name))
      await Promise.all(texts.map((name) => compress(join(dir, name))))
    },
  }
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file)
  await Promise.all([
    promisify(gzip)(bytes, { level: 9 }).then((zipped) => writeFile(`${file}.gz`, zipped)),
    promisify(brotliCompress)(bytes).then((zipped) => writeFile(`${file}.br`, zipped)),
  ])
}

/**
 * Leaves out of packages what `core/` and the editor never use, 46 kB of the judge's worker, compressed:
 * css-tree's checker of values with the grammars of CSS, its maps of sources, and schemas of schemas.
 */
function leanPackages(): Plugin {
  const parts = [
    "export { default as parse } from 'css-tree/parser'",
    "export { default as generate } from 'css-tree/generator'",
    "export { tokenize, tokenTypes } from 'css-tree/tokenizer'",
    "export { ident, string, url } from 'css-tree/utils'",
  ]
  const instead: Readonly<Record<string, string>> = {
    'css-tree': parts.join('\n'),
    'source-map-js/lib/source-map-generator.js': 'export class SourceMapGenerator {}',
    // Its importer is jsonLanguageService.js of vscode-json-languageservice.
    './services/configuration': 'export const schemaContributions = {}',
  }
  return {
    name: 'lean-packages',
    enforce: 'pre',
    resolveId: (source) => (Object.hasOwn(instead, source) ? `\0${source}` : undefined),
    load: (id) => instead[id.slice(1)],
  }
}
