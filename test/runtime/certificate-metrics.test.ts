import test from 'ava'
import { Registry } from 'prom-client'
import { createAuthority, issue } from '../../runtime/authority.ts'
import { addCertificateLife } from '../../runtime/certificate-metrics.ts'

test('a role reports how long its certificate is good for', async (t) => {
  const authority = await createAuthority({ days: 9 })
  const registry = new Registry()
  let shown: Buffer | undefined
  addCertificateLife(registry, () => shown)
  const read = async (name: string) => {
    const text = await registry.getSingleMetricAsString(`farm_certificate_${name}_seconds`)
    const [, value] = new RegExp(`^farm_certificate_${name}_seconds (.+)$`, 'm').exec(text) ?? []
    return value === undefined ? undefined : Number(value) / 86_400
  }
  t.deepEqual([await read('left'), await read('life')], [undefined, undefined])
  for (const days of [1, 30]) {
    const { cert } = await issue(authority, { subject: { role: 'scaler' }, days })
    shown = Buffer.from(cert)
    const [left = 0, life = 0] = [await read('left'), await read('life')]
    t.true(left > days - 0.1 && left <= days, `${left} of ${days} days are left`)
    t.true(life >= days && life < days + 0.1, `${life} instead of ${days} days in all`)
  }
})
