import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Command, Option } from 'commander'
import type { Env } from '../../runtime/env.ts'

export const lateSettingsOption = '--settings-on-stdin'

export type LateSettings = { readonly settingsOnStdin?: true }

/**
 * Adds the switch of a role that a local farm starts before its database stands, so that the role's
 * code is loaded meanwhile.
 */
export function takesLateSettings(command: Command): Command {
  return command.addOption(new Option(lateSettingsOption).hideHelp())
}

/**
 * Waits for the missing settings: an object in one line of JSON on stdin. A farm that is gone before
 * sends none, and the role ends.
 * @returns this process's environment with them
 */
export async function roleSettings({ settingsOnStdin }: LateSettings): Promise<Env> {
  if (!settingsOnStdin) return process.env
  const lines = createInterface({ input: process.stdin })
  lines.once('close', () => process.exit())
  const [line] = await once(lines, 'line')
  lines.removeAllListeners('close').close()
  process.stdin.destroy()
  return { ...process.env, ...JSON.parse(String(line)) }
}
