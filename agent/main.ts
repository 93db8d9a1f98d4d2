#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { SettingRefused, serveAgent } from './stdio.ts'

/** Program of the package that `npm run agent:build` writes. */

const help = `Tools of a render farm for AI agents, over stdio (MCP). A host starts this program and speaks
JSON-RPC on its stdin and stdout.

Usage: farm-agent [--help | --version]

Environment:
  FARM_URL            address of the farm, like https://farm.example.com (required)
  FARM_API_KEY        API key of the account: svc_ and 64 hex digits (required)
  FARM_AGENT_PROFILE  readonly, creator, automation or developer (default: creator)
`

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

const asked = process.argv.slice(2)
if (asked.includes('--help') || asked.includes('-h')) process.stdout.write(help)
else if (asked.includes('--version')) process.stdout.write(`${readVersion()}\n`)
else serve()

function serve(): void {
  try {
    serveAgent(process.env)
  } catch (error) {
    if (!(error instanceof SettingRefused)) throw error
    process.stderr.write(`farm-agent: ${error.message}\n`)
    process.exitCode = 1
  }
}
