import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../runtime/sha256.ts'
import { Failure } from '../failure.ts'

const checkout = join(import.meta.dirname, '..', '..')
const secretBytes = 32

/** Default folder of a farm's data; git ignores it. */
export const defaultDataDir = join(checkout, '.farm')

/** Settings that operators' commands need for the farm in the folder, as a shell reads them. */
export const operateFile = 'operate.env'

/** Held while a farm uses a data folder. */
export type Claim = { release(): void }

/**
 * Locks the folder for this process. The lock is a socket: it disappears with the process, however
 * that ends. A file with a process id would stay (ids are reused, in containers at once). It lies
 * in the temporary folder because a socket's path is limited to about 100 characters.
 * @throws Failure when another farm runs there
 */
export async function claimDataDir(dataDir: string): Promise<Claim> {
  mkdirSync(dataDir, { recursive: true })
  keepFoldersPrivate(dataDir)
  const socket = socketOf(dataDir)
  const holder = await askHolder(socket)
  if (holder !== undefined) {
    throw new Failure(
      `A data folder serves one farm at a time. Process ${holder} already runs a farm in ${dataDir}; stop it, or set another folder with --data.`,
    )
  }
  rmSync(socket, { force: true })
  const server = createServer((asker) => asker.end(String(process.pid)))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  server.unref()
  return { release: () => server.close() }
}

/** Folders of customers' files, of the farm's own and of its logs. */
const privateFolders = ['logs', 'objects', 'prometheus', 'temporal', 'workers']

/**
 * Restricts the folders to their owner, even those of a farm that is older than this rule: others
 * on the machine must not read customers' films. Root's Postgres runs as another user, who must be
 * able to pass through to its cluster.
 */
function keepFoldersPrivate(dataDir: string): void {
  const toCluster = process.getuid?.() === 0 ? 0o711 : 0o700
  chmodSync(dataDir, toCluster)
  setMode(join(dataDir, 'postgres'), toCluster)
  for (const name of privateFolders) setMode(join(dataDir, name), 0o700)
}

function setMode(folder: string, mode: number): void {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, mode)
}

/** Answers whether a farm runs there. */
export async function isClaimed(dataDir: string): Promise<boolean> {
  return existsSync(dataDir) && (await askHolder(socketOf(dataDir))) !== undefined
}

function socketOf(dataDir: string): string {
  const digest = sha256(realpathSync(dataDir)).slice(0, 16)
  return join(tmpdir(), `farm-${digest}.sock`)
}

/** Returns the process id of the listener, or undefined without one. */
function askHolder(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = ''
    connect(socket)
      .setEncoding('utf8')
      .on('data', (text) => {
        answer += text
      })
      .once('end', () => resolve(answer))
      .once('error', () => resolve(undefined))
  })
}

/** Returns a secret of 64 hexadecimal digits, created once in the folder. */
export function storedSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name)
  if (!existsSync(file)) writeSecret(file, randomBytes(secretBytes).toString('hex'))
  return readFileSync(file, 'utf8').trim()
}

/** Writes a file that only its owner reads. */
export function writeSecret(file: string, text: string): void {
  writeFileSync(file, `${text}\n`, { mode: 0o600 })
}
