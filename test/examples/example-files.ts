import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const folder = new URL('../../examples', import.meta.url).pathname

/** Every example's project file. */
export const files = readdirSync(folder)
  .map((name) => join(folder, name, 'project.json'))
  .filter((file) => existsSync(file))
