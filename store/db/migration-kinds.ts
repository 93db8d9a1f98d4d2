/**
 * How a migration meets roles of the release before. `additive`: they go on, before and after it, and so does
 * a roll back to them. `needs the release before gone`: it takes away or narrows something that they use.
 */
export type MigrationKind = 'additive' | 'needs the release before gone'

/** End of the name of a migration that needs the release before gone, so that older releases know it as one. */
const contracting = '_contracts'

/** These came before the rule. */
const early: readonly string[] = ['0006_bulks', '0007_fleet']

export function kindOfMigration(name: string): MigrationKind {
  const isContracting = early.includes(name) || name.endsWith(contracting)
  return isContracting ? 'needs the release before gone' : 'additive'
}

/** Returns why a statement of a migration breaks roles of the release before; undefined when it does not. */
export function breaksReleaseBefore(statement: string): string | undefined {
  const text = statement.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim().toLowerCase()
  return breaking.find(({ pattern, unless }) => pattern.test(text) && !unless?.test(text))?.why
}

const breaking: readonly { pattern: RegExp; unless?: RegExp; why: string }[] = [
  {
    pattern: /^drop (table|function|view|materialized view|type|schema|role)\b/,
    why: 'it drops something',
  },
  { pattern: /^alter table .*\bdrop column\b/, why: 'it drops a column' },
  { pattern: /^alter .*\brename\b/, why: 'it renames something' },
  {
    pattern: /^alter table .*\balter column \S+ (set data )?type\b/,
    why: 'it changes the type of a column',
  },
  {
    pattern: /^alter table .*\balter column \S+ set not null\b/,
    why: 'it makes a column required',
  },
  {
    pattern: /^alter table .*\balter column \S+ drop default\b/,
    why: 'it makes a column required',
  },
  {
    pattern: /^alter table .*\badd column [^,]*\bnot null\b/,
    unless: /\b(default|generated)\b/,
    why: 'it adds a column that is required',
  },
  { pattern: /^revoke\b/, why: 'it revokes a right' },
]
