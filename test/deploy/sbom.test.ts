import test from 'ava'
import { debianComponents } from '../../infra/image/sbom.ts'

test('packages of Debian become components with their version and architecture', (t) => {
  t.deepEqual(debianComponents('tini 0.19.0-1+b3 amd64\nlibc6 2.36-9+deb12u14 amd64\n'), [
    {
      ...{ type: 'library', name: 'tini', version: '0.19.0-1+b3' },
      purl: 'pkg:deb/debian/tini@0.19.0-1%2Bb3?arch=amd64',
    },
    {
      ...{ type: 'library', name: 'libc6', version: '2.36-9+deb12u14' },
      purl: 'pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64',
    },
  ])
})
