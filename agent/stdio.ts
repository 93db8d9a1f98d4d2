import { randomBytes } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createFarmClient } from '../client/farm-client.ts'
import { profiles } from './profiles.ts'
import { createAgentServer } from './server.ts'
import { AnsweringTransport } from './stdio-transport.ts'
import type { Acting, Profile } from './tool.ts'

/** The plan decides; a host shows its person what a bulk costs before. */
const bulkCap = 500
const retries = 2

/** Reason why the settings cannot be used: one sentence that says what to set. */
export class SettingRefused extends Error {}

const reconnect =
  'Ask the person to set FARM_API_KEY to a valid key of the account and to start the server again.'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Serves the tools on stdin and stdout for the account of one API key. The process ends by itself once
 * the host has closed stdin and every call is answered. Writes nothing but JSON-RPC to stdout.
 * @throws SettingRefused
 */
export function serveAgent(env: Env, chosen?: string): void {
  const farm = farmOf(env)
  const profile = profileOf(chosen ?? env.FARM_AGENT_PROFILE)
  const connection = { profile, renderCap: null, total: null, bulkCap }
  const acting: Acting = {
    farm,
    connection,
    questionSecrets: [randomBytes(32)],
    owner: 'stdio',
    reconnect,
  }
  serveStdio(() => createAgentServer(acting), {
    transport: new AnsweringTransport(profile),
    onerror: (error) => process.stderr.write(`farm agent: ${error.message}\n`),
  })
}

function farmOf({ FARM_URL: url = '', FARM_API_KEY: apiKey = '' }: Env) {
  if (url === '') throw new SettingRefused('FARM_URL must be the address of a farm. Got nothing.')
  if (URL.canParse(url) && /\/mcp\/*$/.test(new URL(url).pathname)) {
    throw new SettingRefused(`FARM_URL must be the farm's address without /mcp. Got ${url}.`)
  }
  if (!/^svc_[0-9a-fA-F]{64}$/.test(apiKey)) {
    const seen = apiKey === '' ? 'nothing' : `a text of ${apiKey.length} characters`
    throw new SettingRefused(`FARM_API_KEY must be svc_ and 64 hex digits. Got ${seen}.`)
  }
  try {
    return createFarmClient({ url, apiKey, retries })
  } catch (error) {
    throw new SettingRefused(`FARM_URL cannot be used: ${(error as Error).message}.`)
  }
}

function profileOf(name = 'creator'): Profile {
  const found = profiles.find((each) => each === name)
  if (found) return found
  const known = profiles.join(', ')
  throw new SettingRefused(`FARM_AGENT_PROFILE must be one of ${known}. Got ${name}.`)
}
