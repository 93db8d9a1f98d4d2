// Writes what each image is made of, as CycloneDX: `npm run image:sbom`. npm's half comes from
// package-lock.json, Debian's from dpkg inside the image.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { imageName } from './build.ts'
import { engineEnv } from './engine.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const out = `${root}out/image/`

type Component = {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
}
type Bom = { readonly components: readonly Component[] } & Record<string, unknown>

/** Components of the lines `NAME VERSION ARCHITECTURE` that dpkg-query prints. */
export function debianComponents(lines: string): Component[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([name = '', version = '', architecture = '']) => ({
      ...{ type: 'library', name, version },
      purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
    }))
}

function npmBom(): Bom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev']
  const printed = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  return JSON.parse(printed) as Bom
}

function debianPackages(image: string): string {
  const format = ['Package', 'Version', 'Architecture'].map((name) => `\${${name}}`).join(' ')
  const args = ['run', '--rm', '--network', 'none', '--entrypoint', 'dpkg-query', image]
  return execFileSync('podman', [...args, '--show', '--showformat', `${format}\n`], {
    encoding: 'utf8',
    env: { ...process.env, ...engineEnv() },
  })
}

if (import.meta.main) {
  mkdirSync(out, { recursive: true })
  const npm = npmBom()
  for (const target of ['control', 'worker']) {
    const debian = debianComponents(debianPackages(imageName(target)))
    const file = `${out}${target}.cdx.json`
    const bom = { ...npm, components: [...npm.components, ...debian] }
    writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
    console.log(`${file}: ${npm.components.length} of npm, ${debian.length} of Debian`)
  }
}
