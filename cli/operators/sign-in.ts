import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { firstLine } from '../accounts/first-line.ts'
import { farmUrl, signIn, signOut } from './remote.ts'

/** `farm operators sign-in EMAIL`: the commands for operators then work by the API at FARM_URL. */
export async function signInAtFarm({
  email,
  passwordStdin,
}: {
  readonly email: string
  readonly passwordStdin?: boolean
}): Promise<void> {
  const url = farmUrl()
  const password = passwordStdin ? await firstLine() : await askForPassword()
  await signIn(url, { email, password })
  console.log(`signed in at ${url} as ${email}, for 24 hours`)
}

/** `farm operators sign-out` */
export async function signOutOfFarm(): Promise<void> {
  const url = farmUrl()
  await signOut(url)
  console.log(`signed out of ${url}`)
}

/** Reads a line without showing it. */
async function askForPassword(): Promise<string> {
  process.stderr.write('Password: ')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
