import test from 'ava'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { headers } = await addOperator(gateway, 'admin')
test.after.always(() => gateway.stop())
const { get, post } = callsAs(gateway, headers)
const why = 'nobody looks at night'
const slack = 'https://hooks.slack.com/services/T0/B0/very-secret'

test('form, address and key of a receiver go together', async (t) => {
  const wrong: readonly [object, RegExp][] = [
    [{ form: 'slack' }, /url must be a URL of 1 to/],
    [{ form: 'slack', url: 'http://hooks.slack.com/a' }, /url must be an https URL/],
    [{ form: 'slack', url: 'https://localhost/a' }, /url must be/],
    [{ form: 'slack', url: slack, key: 'k' }, /key must be absent for the form slack/],
    [{ form: 'pagerduty' }, /key must be the routing key of a PagerDuty service\. Got none/],
    [{ form: 'mail', url: slack }, /form must be/],
    [{ form: 'slack', url: slack, name: '' }, /name must/],
  ]
  for (const [body, said] of wrong) {
    const refused = await post('/receivers', { name: 'night', ...body, why })
    t.true(refused.statusCode >= 400 && refused.statusCode < 500, refused.body)
    t.regex(refused.json().message, said)
  }
  t.false((await get('/receivers')).body.includes('night'))
})

test('an address is shown by its host only, a secret once', async (t) => {
  const added = (await post('/receivers', { name: 'team', form: 'slack', url: slack, why })).json()
  t.like(added, { name: 'team', host: 'hooks.slack.com', secret: null, onlyPages: false })
  const own = { name: 'own', form: 'json', url: 'https://ops.example.com/farm' }
  t.regex((await post('/receivers', { ...own, why })).json().secret, /^whsec_/)
  const phone = { name: 'phone', form: 'pagerduty', key: 'R0UTING', onlyPages: true }
  const paged = (await post('/receivers', { ...phone, why })).json()
  t.like(paged, { host: 'events.pagerduty.com', onlyPages: true })
  t.is((await post('/receivers', { ...phone, why })).statusCode, 409)
  const shown = (await get('/receivers')).body + (await get('/audit?limit=99')).body
  for (const secret of ['very-secret', 'whsec_', 'R0UTING']) t.false(shown.includes(secret), secret)
  t.is((await post('/receivers/phone/test', { why })).json().waiting, 2)
  t.is((await post('/receivers/phone/remove', { why })).statusCode, 200)
  t.is((await post('/receivers/phone/test', { why })).statusCode, 404)
})
