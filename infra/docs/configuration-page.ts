// The tables of docs/configuration.md, generated from each role's `readConfig`: `npm run
// docs:configuration` writes them.
import { readConfig as readApi } from '../../api/config.ts'
import { type Env, EnvError } from '../../runtime/env.ts'
import { readConfig as readScheduler } from '../../scheduler/config.ts'
import { readConfig as readWorker } from '../../worker/config.ts'
import { readConfig as readWorkflows } from '../../workflows/config.ts'
import { type GeneratedSection, writeSection } from './generated-section.ts'
import { type Setting, settingsGroups } from './settings.ts'

const readers = {
  ...{ api: readApi, scheduler: readScheduler, workflows: readWorkflows, worker: readWorker },
} satisfies Record<string, (env: Env) => object>

type Role = keyof typeof readers

const roles = Object.keys(readers) as Role[]
const settings = settingsGroups.flatMap((group) => group.settings)

/** Values of the variables that a role requires. */
const required = new Map(roles.map((role) => [role, requiredBy(role)]))

/** Names that each role's `readConfig` reads, with their documented values or without. */
export const namesRead = new Map(
  roles.map((role) => {
    const seen = new Set<string>()
    const base = required.get(role) ?? {}
    const attempts = [base, ...settings.map((setting) => ({ ...base, ...valuesOf(setting) }))]
    for (const attempt of attempts) tryReading(role, attempt, seen)
    return [role, seen] as const
  }),
)

export const configurationSection: GeneratedSection = {
  ...{ page: 'configuration.md', name: 'settings', script: 'docs:configuration' },
  generate() {
    const tables = settingsGroups.map(({ title, settings: each }) =>
      [
        `## ${title}`,
        '',
        '| variable | read by | default | meaning |',
        '|---|---|---|---|',
        ...each.map(rowOf),
      ].join('\n'),
    )
    return tables.join('\n\n')
  },
}

function rowOf(setting: Setting): string {
  const readBy = setting.roles ?? roles.filter((role) => namesRead.get(role)?.has(setting.name))
  if (readBy.length === 0) throw new Error(`No role reads ${setting.name}`)
  return `| \`${setting.name}\` | ${readBy.join(', ')} | ${fallbackOf(setting)} | ${setting.meaning} |`
}

function fallbackOf(setting: Setting): string {
  if (setting.fallback !== undefined) return setting.fallback
  const reading = roles.filter((role) => namesRead.get(role)?.has(setting.name))
  const found = reading.map((role) => [observedDefault(role, setting), role] as const)
  const texts = new Set(found.map(([text]) => text))
  if (texts.size === 1) return [...texts].join()
  return found.map(([text, role]) => `${text} (${role})`).join(', ')
}

/** Returns the value of the field that the example changes, as it is without the example. */
function observedDefault(role: Role, setting: Setting): string {
  const base = { ...required.get(role), ...setting.besides }
  if (required.get(role)?.[setting.name] !== undefined) return 'required'
  const [without, given] = [base, { ...base, ...valuesOf(setting) }].map((env) =>
    readers[role](env),
  )
  const change = changeOf(without, given)
  if (change === undefined) throw new Error(`${setting.name} changes nothing of ${role}`)
  const { before } = change
  if (before === undefined || before === '' || (Array.isArray(before) && before.length === 0)) {
    return 'none'
  }
  if (isRecord(before) && 'host' in before) return `\`${before.host}:${before.port}\``
  return `\`${before}\``
}

type Change = { readonly before: unknown }

function changeOf(before: unknown, after: unknown): Change | undefined {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  if (!isRecord(before) || !isRecord(after) || isListenAddress(before)) return { before }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  for (const key of keys) {
    const change = changeOf(before[key], after[key])
    if (change !== undefined) return change
  }
  return undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListenAddress(value: Record<string, unknown>): boolean {
  return Object.keys(value).sort().join() === 'host,port'
}

function valuesOf({ name, example = 'x', besides }: Setting): Record<string, string> {
  return { ...besides, [name]: example }
}

/** Collects required variables: each that `readConfig` names when it is absent. */
function requiredBy(role: Role): Record<string, string> {
  const env: Record<string, string> = {}
  for (;;) {
    const error = tryReading(role, env, new Set())
    if (error === undefined) return env
    const missing = settings.find(({ name }) => error.message.startsWith(`${name} must`))
    if (missing?.example === undefined || env[missing.name] !== undefined) throw error
    env[missing.name] = missing.example
  }
}

function tryReading(role: Role, env: Env, seen: Set<string>): EnvError | undefined {
  const recording = new Proxy(env, {
    get(target, name) {
      if (typeof name === 'string') seen.add(name)
      return Reflect.get(target, name)
    },
  })
  try {
    readers[role](recording)
    return undefined
  } catch (error) {
    if (error instanceof EnvError) return error
    throw error
  }
}

if (import.meta.main) await writeSection(configurationSection)
