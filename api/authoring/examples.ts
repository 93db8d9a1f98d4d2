import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { exampleWords } from '../../core/library/example-words.ts'
import { isRecord } from '../../core/project/check.ts'
import { presets } from '../../core/project/schema/names.ts'

const root = join(import.meta.dirname, '..', '..', 'examples')
/** Path of a file beside the examples, as their projects and tables name it. */
const mediaPaths = /(?:\.\.\/)?(?:[\w-]+\/)*media\/[\w-]+\.\w+/g
const mediaPath = new RegExp(`^${mediaPaths.source}$`)

export type LibraryExample = {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly type: 'video' | 'image'
  readonly width: number
  readonly height: number
  readonly content: Readonly<Record<string, unknown>>
  /** CSV of a bulk of it, where it has one. */
  readonly rows: string | undefined
  /** Files that it names, as paths below the examples. */
  readonly media: readonly string[]
}

/** Reads every example, with its media at the addresses that `urlOf` gives. */
export function readExamples(urlOf: (path: string) => string): LibraryExample[] {
  // A farm may be installed without its examples.
  if (!existsSync(root)) return []
  return readdirSync(root)
    .toSorted()
    .flatMap((slug) => {
      const file = join(root, slug, 'project.json')
      const words = exampleWords[slug]
      return existsSync(file) && words ? [readExample(slug, words, urlOf)] : []
    })
}

function readExample(
  slug: string,
  [title, description]: readonly [string, string],
  urlOf: (path: string) => string,
): LibraryExample {
  const media: string[] = []
  const addressOf = (named: string) => {
    const path = relative(root, resolve(root, slug, named))
    media.push(path)
    return urlOf(path)
  }
  const located = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(located)
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, located(inner)]))
    }
    return typeof value === 'string' && mediaPath.test(value) ? addressOf(value) : value
  }
  const { $schema: _, ...project } = readJson(join(root, slug, 'project.json'))
  const [variant] = readVariants(join(root, slug, 'variants.json'))
  const whole = variant
    ? { ...project, variables: { ...asRecord(project.variables), ...variant } }
    : project
  const content = asRecord(located(whole))
  const type = content.type === 'image' ? 'image' : 'video'
  const rows = readText(join(root, slug, 'rows.csv'))?.replace(mediaPaths, addressOf)
  return { slug, title, description, type, ...sizeOf(content), content, rows, media }
}

function sizeOf({ resolution, width, height }: Readonly<Record<string, unknown>>) {
  const preset = Object.entries(presets).find(([name]) => name === resolution)?.[1]
  const [wide, high] = preset ?? [width, height]
  return { width: Number(wide ?? 1280), height: Number(high ?? 720) }
}

function readVariants(file: string): Readonly<Record<string, unknown>>[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function readJson(file: string): Record<string, unknown> {
  return asRecord(JSON.parse(readFileSync(file, 'utf8')))
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** The bytes of a file below the examples; undefined when there is none. */
export function readExampleFile(path: string): Buffer | undefined {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file) : undefined
}
