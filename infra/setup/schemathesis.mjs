import { fileURLToPath } from 'node:url'
import { pythonTool } from './python-tool.mjs'

const tool = pythonTool({
  name: 'schemathesis',
  version: '4.32.0',
  requirements: fileURLToPath(new URL('schemathesis.txt', import.meta.url)),
  probe: ['-m', 'schemathesis.cli', '--version'],
})

/** Path of the Python that runs it, as `python -m schemathesis.cli`; it may not exist. */
export const schemathesisPython = tool.python

/** True where Python, or its venv module, must be installed first. */
export const lacksVenv = tool.lacksVenv

/**
 * Returns the step that installs schemathesis, or undefined when it is there. Schemathesis sends
 * the gateway every request that its published document allows and forbids.
 */
export const schemathesisStep = tool.step
