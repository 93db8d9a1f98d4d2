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
