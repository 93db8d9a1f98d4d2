// Builds the images: `npm run image [-- OPTIONS] [control] [worker]`.
//   --bases              makes both bases on this machine, where no registry of images is reached
//   --base, --node IMAGE others than the Containerfile names
//   --builder NAME       buildah, podman or docker; the first of them that is there else
//   --prefix, --tag TEXT the images' name, `localhost/farm-control:VERSION` else
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { localBases, makeBases } from './bases.ts'
import { buildSecrets, findBuilder, mustRunGently } from './engine.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string }
const targets = ['control', 'worker'] as const
const options = {
  builder: { type: 'string' },
  bases: { type: 'boolean' },
  base: { type: 'string' },
  node: { type: 'string' },
  prefix: { type: 'string', default: 'localhost/farm' },
  tag: { type: 'string', default: version },
} as const

/** Name of a target's image, as `npm run image` builds it without options. */
export function imageName(target: string, prefix = 'localhost/farm', tag = version): string {
  return `${prefix}-${target}:${tag}`
}

/** Says what the image is made from: the version and the commit. */
function revisionArgs(): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const isDirty = git('status', '--porcelain') !== ''
  const revision = `${git('rev-parse', 'HEAD')}${isDirty ? '-dirty' : ''}`
  return [`VERSION=${version}`, `REVISION=${revision}`].flatMap((arg) => ['--build-arg', arg])
}

function build(): void {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const unknown = positionals.find((each) => !(targets as readonly string[]).includes(each))
  if (unknown !== undefined) {
    throw new Error(`a target must be ${targets.join(' or ')}. Got ${unknown}`)
  }
  const { name, path } = findBuilder(values.builder)
  if (values.bases && name === 'docker') throw new Error('--bases needs buildah or podman')
  if (values.bases) makeBases()
  const bases = values.bases ? localBases : { base: values.base, node: values.node }
  const baseArgs = Object.entries(bases)
    .filter(([, image]) => image !== undefined)
    .flatMap(([arg, image]) => ['--build-arg', `${arg.toUpperCase()}=${image}`])
  const layers = name === 'docker' ? [] : ['--layers', '--network', 'host']
  for (const target of positionals.length > 0 ? positionals : targets) {
    const image = imageName(target, values.prefix, values.tag)
    mustRunGently([
      ...[path, 'build', ...layers, ...(values.bases ? ['--pull-never'] : [])],
      ...['--target', target, '--file', `${root}deploy/Containerfile`, '--tag', image],
      ...[...revisionArgs(), ...baseArgs, ...buildSecrets(process.env), root],
    ])
    console.log(image)
  }
}

if (import.meta.main) build()
