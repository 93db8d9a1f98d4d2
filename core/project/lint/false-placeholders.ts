import { isRecord } from '../check.ts'
import { nearestName } from '../nearest.ts'
import { isVariablePath, placeholderRule } from '../placeholder.ts'
import { rootOf, type Variables } from '../references.ts'
import { childOf } from '../report.ts'
import type { RenderRequest } from '../schema/request.ts'
import { type Braces, falseBraces, foreignBraces, unopenedBraces } from './braces.ts'
import { definedNames } from './unused-variables.ts'
import { maxWarnings, quoted, type Warning } from './warning.ts'

/**
 * Finds texts of a request that look as if they had a placeholder and have none: they are painted
 * as written. `names`: the defined variables.
 */
export function falsePlaceholders(request: RenderRequest & Variables): Warning[] {
  const { payload, variables = {}, overrides = {}, webhookUrl = '' } = request
  const names = new Set([...definedNames(request), ...loopNames(payload)])
  const warnings: Warning[] = []
  const add = ({ path: field, key }: TextField, braces: readonly Braces[]) => {
    for (const each of braces) {
      // Searching for the intended name takes time, so only the first finds get it.
      const message = messageOf(each, warnings.length < maxHints ? names : new Set(), key)
      warnings.push({ field, code: 'not_a_placeholder', message })
    }
  }
  const read = (node: unknown, place: TextField): void => {
    if (warnings.length >= maxWarnings) return
    if (typeof node === 'string') add(place, bracesIn(node, place, names))
    else if (Array.isArray(node)) {
      for (const [i, item] of node.entries()) {
        read(item, { ...place, path: `${place.path}[${i}]` })
      }
    } else if (isRecord(node)) {
      for (const [key, inner] of Object.entries(node)) {
        if (key !== 'designer')
          read(inner, { ...place, key, up: place.key, path: childOf(place.path, key) })
      }
    }
  }
  for (const [key, value] of Object.entries(payload)) {
    // The path tells the project's own variables from the request's.
    const path = key === 'variables' ? 'payload.variables' : key
    read(value, { key, up: '', path, isData: key === 'variables' })
  }
  read(variables, { key: 'variables', up: '', path: 'variables', isData: true })
  const literals = { ...fieldsOf(overrides), webhookUrl }
  for (const [field, text] of Object.entries(literals)) {
    if (typeof text !== 'string' || !text.includes('{{')) continue
    const message = `${quoted(text)} is used unchanged, because this field takes no placeholders.`
    warnings.push({ field, code: 'not_a_placeholder', message })
  }
  return warnings
}

const maxHints = 20

/** Names that the project's iterations define. */
function loopNames({ scenes }: Readonly<Record<string, unknown>>): string[] {
  const loops = Array.isArray(scenes)
    ? scenes.filter((scene) => isRecord(scene) && scene.iterate)
    : []
  const own = loops.map(({ iterateAs = 'item' }) => String(iterateAs))
  return own.length > 0 ? [...own, 'index'] : []
}

type TextField = {
  readonly key: string
  readonly up: string
  readonly path: string
  /** A variable's value: it may come from people who know no placeholders. */
  readonly isData: boolean
}

function fieldsOf(overrides: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(overrides).map(([key, value]) => [`overrides.${key}`, value]),
  )
}

/** Fields that hold words. */
const wordKeys = new Set(['text', 'html', 'svg'])

function bracesIn(
  text: string,
  { key, up, isData }: TextField,
  names: ReadonlySet<string>,
): Braces[] {
  const isCode = up === 'customCode'
  const found = text.includes('{{') ? falseBraces(text) : []
  // Code has braces of its own: only a variable's name in a plain path counts.
  if (isCode && key === 'js') return found.filter((braces) => isMeantInCode(braces, names))
  // `a{{{ rule }}}` is a rule whose whole body is a placeholder.
  if (isCode) return found.filter(({ fault }) => fault !== 'braces')
  if (isData) return found
  const isDefined = ({ inner }: Pick<Braces, 'inner'>) => names.has(rootOf(inner))
  if (key === 'condition' && !text.includes('{')) {
    const inner = /^[!\s]*([\w.]+)/.exec(text)?.[1] ?? ''
    return isDefined({ inner }) ? [{ shown: text, inner, fault: 'single' }] : []
  }
  const foreign = foreignBraces(text, { inWords: wordKeys.has(key) }).filter(isDefined)
  return [...found, ...unopenedBraces(text), ...foreign]
}

function isMeantInCode({ inner, fault }: Braces, names: ReadonlySet<string>): boolean {
  return fault === 'name' && /^[\w\s.[\]'"|-]+$/.test(inner) && names.has(rootOf(pathIn(inner)))
}

function messageOf(
  { shown, inner, fault }: Braces,
  names: ReadonlySet<string>,
  key: string,
): string {
  const result = key === 'condition' ? 'makes the condition true' : 'is painted unchanged'
  const seen = quoted(shown)
  const meant = meantBy(inner, names)
  const write = meant === undefined ? placeholderRule : `Write {{ ${meant} }}.`
  switch (fault) {
    case 'braces':
      return `${seen} has one brace too many on each side, which is painted. ${write}`
    case 'open':
      return `${seen} is not closed by two braces and ${result}. ${write}`
    case 'unopened':
      return `${seen} is not opened by two braces and ${result}. ${write}`
    case 'name':
    case 'single': {
      const own = plain(inner)
      const isNamed = meant !== undefined && names.has(own) && !names.has(rootOf(meant))
      const rename = isNamed ? ` Rename the variable to ${rootOf(meant)}, with letters a to z.` : ''
      return `${seen} is not a placeholder and ${result}.${rename} ${write}`
    }
    default:
      return fault satisfies never
  }
}

/** Guesses the intended placeholder; undefined = unknown. */
function meantBy(inner: string, names: ReadonlySet<string>): string | undefined {
  const usable = [...names].filter(isVariablePath)
  const path = pathIn(inner)
  const root = rootOf(path)
  if (isVariablePath(path) && names.has(root)) return path
  const words = wordsIn(inner)
  const whole = nearestName(words, usable)
  if (whole !== undefined) return whole
  const near = nearestName(root, usable)
  const rest = path.slice(root.length)
  if (near !== undefined) return isVariablePath(near + rest) ? near + rest : near
  const inside = plain(inner).match(/[A-Za-z][A-Za-z0-9_.]*/g) ?? []
  const named = inside.find((each) => isVariablePath(each) && names.has(rootOf(each)))
  if (named !== undefined) return named
  if (isVariablePath(path) && /^[\w\s.?[\]'"]+$/.test(plain(inner))) return path
  const slug = slugOf(words)
  return names.has(words) && isVariablePath(slug) ? slug : undefined
}

/** Strips tags, entities and invisible characters from the text between braces. */
function plain(inner: string): string {
  return inner
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:nbsp|#160|#xa0|zwnj|zwj|shy);/gi, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
}

/** Extracts the first path in our notation: `#each arr[1].x | upper` → `arr.1.x`. */
function pathIn(inner: string): string {
  const [head = ''] = plain(inner)
    .replace(/^[^\p{L}\p{N}_]+/u, '')
    .replace(/^(?:each|if|unless|with|for|else|end|raw)\s+(?=\S)/i, '')
    .replace(/\s*\?\.\s*/g, '.')
    .replace(/\.?\[\s*(?:(\d+)|'([^'[\]]*)'|"([^"[\]]*)")\s*\]/g, '.$1$2$3')
    .split(/[^\p{L}\p{M}\p{N}_.-]/u, 1)
  return head.replace(/[.-]+$/, '')
}

/** Strips filters and other parts of an expression. */
function wordsIn(inner: string): string {
  return (plain(inner).split(/[|?(:;,=+*<>]/u, 1)[0] ?? '').trim()
}

function slugOf(words: string): string {
  const letters = words.normalize('NFD').replace(/\p{M}/gu, '')
  return letters.replace(/[^A-Za-z0-9.]+/g, '_').replace(/^[_.]+|[_.]+$/g, '')
}
