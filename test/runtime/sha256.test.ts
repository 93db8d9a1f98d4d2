import test from 'ava'
import { sha256, sha256Bytes } from '../../runtime/sha256.ts'

const ofAbc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

test('texts and bytes have the hash of FIPS 180-4', (t) => {
  t.is(sha256('abc'), ofAbc)
  t.is(sha256(Buffer.from('abc')), ofAbc)
  t.deepEqual(sha256Bytes('abc'), Buffer.from(ofAbc, 'hex'))
})
