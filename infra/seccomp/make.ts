// Writes both profiles of deploy/seccomp from containerd's own code: `npm run seccomp`. It needs Go.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Profile, workerProfile } from './profile.ts'

const folder = new URL('../../deploy/seccomp/', import.meta.url)
const here = fileURLToPath(new URL('.', import.meta.url))

function write(name: string, profile: Profile): void {
  writeFileSync(new URL(name, folder), `${JSON.stringify(profile, null, 2)}\n`)
}

const printed = execFileSync('go', ['run', '.'], { cwd: here, encoding: 'utf8' })
const base = JSON.parse(printed) as Profile
write('containerd-default.json', base)
write('farm-worker.json', workerProfile(base))
