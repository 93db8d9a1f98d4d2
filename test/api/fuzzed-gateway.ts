import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { schemathesisPython } from '../../infra/setup/schemathesis.mjs'
import type { Db } from '../../store/db/database.ts'
import { signIn } from './accounts.ts'
import { startGateway } from './gateway.ts'

type Ended = { readonly code: number | null; readonly report: string }

const config = fileURLToPath(new URL('schemathesis.toml', import.meta.url))

/**
 * Runs schemathesis against the real gateway for about `seconds`, with a key and a dashboard token.
 * It sends requests that the published document allows and ones that it forbids. Answers the exit
 * code and the output.
 */
export async function fuzzGateway({
  seconds,
  seed,
  more = [],
}: {
  seconds: number
  seed: number
  more?: readonly string[]
}): Promise<Ended> {
  const gateway = await startGateway()
  const folder = await mkdtemp(join(tmpdir(), 'farm-fuzz-'))
  let ended: Ended = { code: 1, report: '' }
  try {
    const { server, db } = gateway
    await server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.address() as AddressInfo
    const { accountId, key } = await gateway.customer(1_000_000_000)
    await sql`update accounts set plan = 'studio'`.execute(db)
    const { accessToken } = await signIn(gateway, accountId)
    await keepCredentials(db)
    ended = await run({
      cwd: folder,
      env: { FARM_FUZZ_KEY: key, FARM_FUZZ_TOKEN: accessToken },
      args: [
        ...['--config-file', config, 'run', `http://127.0.0.1:${port}/openapi.json`],
        // The document names the public address, where no server listens here.
        ...['--url', `http://127.0.0.1:${port}`],
        ...['--max-time', String(seconds), '--seed', String(seed), '--no-color', ...more],
      ],
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
    // Replies outside the document are reported at the end, beside schemathesis's findings.
    await gateway.stop().catch((error: Error) => {
      ended = { code: 1, report: `${ended.report}\n${error.message}` }
    })
  }
  return ended
}

/**
 * Keeps the credentials alive: a fuzzer also signs out, revokes its own key and exceeds every rate
 * limit. Otherwise it would be refused from then on and find nothing more.
 */
async function keepCredentials(db: Db): Promise<void> {
  const { id: keyId } = await db.selectFrom('api_keys').select('id').executeTakeFirstOrThrow()
  const statements = [
    `create function undone() returns trigger language plpgsql as 'begin return null; end'`,
    `create function unspent() returns trigger language plpgsql
      as 'begin new.used = 0; return new; end'`,
    `create trigger kept before update of revoked_at on api_keys for each row
      when (old.id = '${keyId}') execute function undone()`,
    `create trigger kept before update of ended_at on sessions for each row
      execute function undone()`,
    `create trigger kept before insert or update on rate_windows for each row
      execute function unspent()`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function run({
  cwd,
  env,
  args,
}: {
  cwd: string
  env: Record<string, string>
  args: readonly string[]
}): Promise<Ended> {
  const running = spawn(schemathesisPython(), ['-m', 'schemathesis.cli', ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let report = ''
  for (const stream of [running.stdout, running.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      report += text
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    running.once('error', reject).once('close', resolve)
  })
  return { code, report }
}
