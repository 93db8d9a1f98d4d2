// The commands of docs/cli.md, generated from commander's help: `npm run docs:cli` writes them.
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { type GeneratedSection, writeSection } from './generated-section.ts'

const helpWidth = 100

export const commandsSection: GeneratedSection = {
  ...{ page: 'cli.md', name: 'commands', script: 'docs:cli' },
  generate() {
    const program = createProgram()
    const rows = program.commands.map((command) => {
      const anchor = `farm-${command.name()}`
      return `| [\`farm ${command.name()}\`](#${anchor}) | ${command.description().replaceAll('|', '\\|')} |`
    })
    const list = ['| command | does |', '|---|---|', ...rows].join('\n')
    return [list, ...program.commands.map((command) => partOf(command, 'farm', 2))].join('\n\n')
  },
}

/** Generates a heading with the help of a command, then those of its subcommands. */
function partOf(command: Command, parent: string, level: number): string {
  const name = `${parent} ${command.name()}`
  const own = [`${'#'.repeat(level)} ${name}`, '', '```text', helpOf(command), '```'].join('\n')
  return [own, ...command.commands.map((each) => partOf(each, name, level + 1))].join('\n\n')
}

/** Returns the text that `--help` prints. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
    getOutHelpWidth: () => helpWidth,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

if (import.meta.main) await writeSection(commandsSection)
