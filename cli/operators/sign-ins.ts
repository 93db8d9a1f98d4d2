import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Tokens of an operator at one farm. */
export type SignIn = {
  readonly accessToken: string
  readonly refreshToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

type SignIns = Readonly<Record<string, SignIn>>

function fileOf(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'farm', 'operator.json')
}

/** Finds the sign-in at a farm, by its address. */
export async function findSignIn(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<SignIn | undefined> {
  return (await readAll(env))[url]
}

/** Keeps a sign-in in a file that only this user reads; undefined: forgets it. */
export async function keepSignIn(
  url: string,
  signIn: SignIn | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { [url]: _, ...others } = await readAll(env)
  const file = fileOf(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const part = `${file}.${process.pid}`
  const kept = signIn ? { ...others, [url]: signIn } : others
  await writeFile(part, JSON.stringify(kept), { mode: 0o600 })
  await rename(part, file)
}

async function readAll(env: NodeJS.ProcessEnv): Promise<SignIns> {
  const text = await readFile(fileOf(env), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  return JSON.parse(text) as SignIns
}
