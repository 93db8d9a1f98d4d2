import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { openApiDocument } from '../client/openapi-document.ts'
import type { Text } from './rules.ts'

/** Returns every summary and description of the OpenAPI document, each text once. */
export async function apiTexts(): Promise<Text[]> {
  const found = new Map<string, string>()
  const collect = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'example' || key === 'examples') continue
      const isText = typeof inner === 'string' && (key === 'summary' || key === 'description')
      if (isText && !found.has(inner)) found.set(inner, place)
      else collect(inner, `${place}/${key}`)
    }
  }
  collect(await openApiDocument(), 'openapi.json')
  return [...found].map(([text, place]) => ({ place, text }))
}

/** Returns the help texts of every command: its description, arguments, options and notes. */
export function helpTexts(): Text[] {
  const textsOf = (command: Command, name: string): Text[] => {
    const parts = [...command.registeredArguments, ...command.options]
    const texts = [command.description(), ...parts.map(({ description }) => description)]
    return [
      ...[...texts, notesOf(command)].map((text) => ({ place: `${name} --help`, text })),
      ...command.commands.flatMap((inner) => textsOf(inner, `${name} ${inner.name()}`)),
    ]
  }
  return textsOf(createProgram(), 'farm')
}

/** Returns the text that a command adds below its options. */
function notesOf(command: Command): string {
  let shown = ''
  command.configureOutput({ writeOut: (text) => (shown += text) }).outputHelp()
  const help = command.helpInformation()
  return shown.slice(shown.indexOf(help) + help.length).trim()
}
