import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { findBuilder } from '../../infra/image/engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
const path = process.env.PATH
test.after.always(() => {
  process.env.PATH = path
  rmSync(folder, { recursive: true, force: true })
})

test('images are built by the wanted program, else by the best', (t) => {
  process.env.PATH = folder
  t.throws(() => findBuilder(), { message: /one of buildah, podman, docker must be on PATH/ })
  for (const name of ['docker', 'buildah']) {
    writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 })
  }
  t.deepEqual(findBuilder(), { name: 'buildah', path: join(folder, 'buildah') })
  t.deepEqual(findBuilder('docker'), { name: 'docker', path: join(folder, 'docker') })
  t.throws(() => findBuilder('podman'), { message: /^podman must be on PATH/ })
  t.throws(() => findBuilder('kaniko'), { message: /must be one of .* Got kaniko/ })
})
