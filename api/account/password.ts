import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ProblemError } from '../gateway/problem.ts'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. About 30 ms of one core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32
const phcShape = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** Limits concurrent hashing, so that guessing leaves threads for the rest of the process. */
const maxAtOnce = 2
const maxWaiting = 64

/** Hashes a password for storage: a PHC string of argon2id. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const tag = await derive(password, { nonce: salt, tagLength: tagBytes, ...cost })
  const { memory, passes, parallelism } = cost
  const settings = `m=${memory},t=${passes},p=${parallelism}`
  return `$argon2id$v=19$${settings}$${base64(salt)}$${base64(tag)}`
}

/**
 * Answers whether a password is the stored one. Without a stored one, as for an unknown email, it
 * takes as long and answers no.
 * @throws FarmError too_many_requests when too many wait for their turn
 */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, m, t, p, salt = '', tag = ''] = phcShape.exec(stored ?? decoy) ?? []
  if (m === undefined) throw new Error('A stored password must be an argon2id PHC string')
  const expected = Buffer.from(tag, 'base64')
  const given = await derive(password, {
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    ...{ memory: Number(m), passes: Number(t), parallelism: Number(p) },
  })
  return timingSafeEqual(given, expected) && stored !== undefined
}

const decoy = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(Buffer.alloc(saltBytes))}$${base64(Buffer.alloc(tagBytes))}`

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

const deriveKey = promisify(argon2)
let running = 0
const waiting: (() => void)[] = []

/** Normalized by NFKC, because the same letters may be typed in several ways. */
async function derive(
  password: string,
  parameters: Omit<Argon2Parameters, 'message'>,
): Promise<Buffer> {
  await takeTurn()
  try {
    return await deriveKey('argon2id', { message: password.normalize('NFKC'), ...parameters })
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

async function takeTurn(): Promise<void> {
  if (running >= maxAtOnce) {
    if (waiting.length >= maxWaiting) {
      const rule = `At most ${maxWaiting} sign-ins may wait at a time. Got more; try again in a second`
      throw new ProblemError('too_many_requests', rule, { retryAfterSeconds: 1 })
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  running += 1
}
