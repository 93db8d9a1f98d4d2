import 'reflect-metadata'
import { createPrivateKey, webcrypto } from 'node:crypto'
import { BasicConstraintsExtension, PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import test from 'ava'
import { createAuthority, issue } from '../../../runtime/authority.ts'
import { openEnrolment } from '../../../scheduler/enrolment/open.ts'
import { openDatabase } from '../../../store/db/database.ts'
import { silent } from '../../store/database.ts'

// No statement is run before a node enrols.
const db = openDatabase({ url: 'postgres://nowhere/farm', log: silent })
test.after.always(() => db.destroy())

test('a key of another authority is refused at the start', async (t) => {
  const [one, other] = [await createAuthority({ days: 1 }), await createAuthority({ days: 1 })]
  const authority = { cert: one.cert, key: other.key }
  await t.throwsAsync(openEnrolment(db, { authority, cluster: undefined }), {
    message: /^FARM_ENROLMENT_CA_KEY must be the key of the authority in FARM_ENROLMENT_CA_CERT/,
  })
  const leaf = await issue(one, { subject: { role: 'scheduler', hosts: ['127.0.0.1'] }, days: 1 })
  const error = await t.throwsAsync(openEnrolment(db, { authority: leaf, cluster: undefined }))
  t.false(error?.message.includes('PRIVATE'))
})

test('a key that cannot sign for nodes is refused at the start', async (t) => {
  const { cert, key } = await createAuthority({ days: 1 })
  const sec1 = createPrivateKey(key).export({ type: 'sec1', format: 'pem' }).toString()
  const authorities = [
    { cert, key: sec1 },
    await authorityOf({ name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }),
    await authorityOf({
      ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 },
      publicExponent: new Uint8Array([1, 0, 1]),
    }),
  ]
  for (const authority of authorities) {
    await t.throwsAsync(openEnrolment(db, { authority, cluster: undefined }), {
      message: /^FARM_ENROLMENT_CA_KEY must be the key .*, P-256 as PKCS #8\. Got "\(another\)"$/,
    })
  }
  await t.notThrowsAsync(openEnrolment(db, { authority: { cert, key }, cluster: undefined }))
})

/** An authority as other programs make it. */
async function authorityOf(
  signingAlgorithm:
    | (webcrypto.EcKeyGenParams & { hash: string })
    | (webcrypto.RsaHashedKeyGenParams & { hash: string }),
) {
  const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=An authority', keys, signingAlgorithm },
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    cert: certificate.toString('pem'),
    key: PemConverter.encode(key, PemConverter.PrivateKeyTag),
  }
}
