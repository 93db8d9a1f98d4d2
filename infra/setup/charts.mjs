import { fileURLToPath } from 'node:url'
import { pythonTool } from './python-tool.mjs'
import { installPrograms } from './system.mjs'

/** Checks manifests against Kubernetes' own schemas, which it carries for each minor version. */
export const kubernetesValidate = pythonTool({
  name: 'kubernetes-validate',
  version: '1.37.0',
  requirements: fileURLToPath(new URL('kubernetes-validate.txt', import.meta.url)),
  probe: ['-m', 'kubernetes_validate', '--version'],
})

/** Returns the steps that bring it; none where it is there. */
export function chartSteps() {
  const venv = {
    key: 'programs',
    name: 'python3-venv',
    how: "from the system's packages",
    install: () => installPrograms(['python3-venv']),
  }
  return [kubernetesValidate.lacksVenv() ? venv : undefined, kubernetesValidate.step()]
}
