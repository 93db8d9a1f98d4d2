import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import test from 'ava'
import { buildAgent } from '../../../infra/client/build-agent.ts'
import { startGateway } from '../gateway.ts'
import { listen } from './host.ts'

const packages = join(import.meta.dirname, '..', '..', '..', 'node_modules')

test('the built package serves the tools without a checkout', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  buildAgent(folder)
  const { bin, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    await mkdir(join(folder, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  }
  const gateway = await startGateway()
  t.teardown(() => gateway.stop())
  const { origin } = await listen(gateway)
  const { key } = await gateway.customer()
  const program = join(folder, bin['farm-agent'])
  execFileSync(process.execPath, ['--check', program])
  const client = new Client({ name: 'test-host', version: '1' })
  const env = { FARM_URL: origin, FARM_API_KEY: key }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], env }),
  )
  t.is((await client.listTools()).tools.length, 16)
  const { content } = await client.callTool({ name: 'get_account', arguments: {} })
  t.regex(JSON.stringify(content), /1000 available/)
  await client.close()
})
