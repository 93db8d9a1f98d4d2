#!/usr/bin/env node
import { SettingRefused, serveAgent } from './stdio.ts'

/** Program of the package that `npm run agent:build` writes. */

try {
  serveAgent(process.env)
} catch (error) {
  if (!(error instanceof SettingRefused)) throw error
  process.stderr.write(`farm-agent: ${error.message}\n`)
  process.exitCode = 1
}
