import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { invitationPrefix } from '../core/fleet/node-identity.ts'
import { sha256 } from '../runtime/sha256.ts'
import type { Db } from '../store/db/database.ts'
import {
  addInvitation,
  endInvitation,
  type InvitationView,
  listInvitations,
} from '../store/db/fleet/invitations.ts'
import { act } from './act.ts'
import { change, read } from './operation.ts'
import { Name, Time, Uuid } from './schemas.ts'

const mostUses = 10_000
const mostSeconds = 30 * 86_400
const usualUses = 1
const usualSeconds = 3_600

const Invitation = Type.Object({
  id: Type.String({ format: 'uuid' }),
  pool: Type.String(),
  uses: Type.Integer({ description: 'Machines that may join by it' }),
  used: Type.Integer({ description: 'Machines that joined by it' }),
  status: Type.Enum(['open', 'used up', 'expired', 'ended']),
  madeBy: Type.String(),
  expiresAt: Time,
})

export const listInvitationsOperation = read({
  ...{ id: 'operatorListInvitations', path: '/invitations', role: 'viewer' },
  summary: 'List the invitations of machines, until a week after their end, the newest first',
  answer: Type.Object({ invitations: Type.Array(Invitation) }),
  run: async ({ db }) => ({ invitations: await listInvitations(db) }),
})

export const inviteNodesOperation = change({
  ...{ id: 'operatorInviteNodes', path: '/invitations', role: 'admin' },
  summary: 'Make a token by which machines join a pool; the answer shows it once',
  body: Type.Object({
    pool: Name,
    uses: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: mostUses },
        description: `Machines that may join by it; ${usualUses} if absent`,
      }),
    ),
    seconds: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: mostSeconds },
        description: `Seconds for which it is good; ${usualSeconds} if absent`,
      }),
    ),
  }),
  answer: Type.Object({
    ...Invitation.properties,
    token: Type.String({ description: 'FARM_ENROL_TOKEN of the machines; only in this answer' }),
  }),
  async run({ db }, { pool, uses = usualUses, seconds = usualSeconds, why }, actor) {
    const token = `${invitationPrefix}${randomBytes(32).toString('hex')}`
    const made = { tokenHash: sha256(token), pool, uses, seconds, madeBy: actor }
    const done = {
      what: `nodes invite ${pool} for ${uses}`,
      subject: ({ id }: { readonly id: string }) => id,
      ...{ why, actor },
    }
    const { id } = await act(db, done, (tx) => addInvitation(tx, made))
    return { ...(await requireInvitation(db, id)), token }
  },
})

export const endInvitationOperation = change({
  ...{ id: 'operatorEndInvitation', path: '/invitations/:invitation/end', role: 'operator' },
  summary: 'End an invitation; machines that joined by it stay',
  ...{ params: Type.Object({ invitation: Uuid }), answer: Invitation },
  async run({ db }, { invitation, why }, actor) {
    const done = { what: 'nodes uninvite', subject: invitation, why, actor }
    await act(db, done, async (tx) => {
      if (await endInvitation(tx, invitation)) return
      const rule = 'INVITATION must be the id of an invitation that was not ended'
      throw new FarmError('not_found', `${rule}. Got ${invitation}`)
    })
    return await requireInvitation(db, invitation)
  },
})

async function requireInvitation(db: Db, id: string): Promise<InvitationView> {
  const found = (await listInvitations(db)).find((each) => each.id === id)
  if (found) return found
  throw new Error('An invitation that was changed must be listed')
}
