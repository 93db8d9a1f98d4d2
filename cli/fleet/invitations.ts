import {
  endInvitationOperation,
  inviteNodesOperation,
  listInvitationsOperation,
} from '../../operator/invitations.ts'
import type { InvitationView } from '../../store/db/fleet/invitations.ts'
import { answerOne, answerRows, operateFarm } from '../accounts/operate.ts'
import type { ActOptions } from './act.ts'

/** `farm nodes invite POOL`: makes a token by which machines enrol. It is shown only once. */
export async function invite({
  pool,
  uses,
  seconds,
  why,
  ...options
}: { pool: string; uses: number; seconds: number } & ActOptions): Promise<void> {
  await operateFarm(options, async (farm) => {
    const made = await farm.run(inviteNodesOperation, { pool, uses, seconds, why })
    const { id, expiresAt, token } = made
    const times = uses === 1 ? '1 use' : `${uses} uses`
    const text = [
      `# invitation ${id} into ${pool}: ${times} until ${expiresAt.toISOString()}`,
      `FARM_ENROL_TOKEN=${token}`,
    ].join('\n')
    return { json: made, text }
  })
}

/** `farm nodes invitations` */
export async function showInvitations({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { invitations } = await farm.run(listInvitationsOperation, {})
    return answerRows(invitations.map(rowOf))
  })
}

/** `farm nodes uninvite ID`: its token enrols nobody any more. */
export async function uninvite({
  id: invitation,
  why,
  ...options
}: { id: string } & ActOptions): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(endInvitationOperation, { invitation, why }))),
  )
}

function rowOf({ id, pool, uses, used, status, madeBy, expiresAt }: InvitationView) {
  return { id, pool, used, uses, status, expires: expiresAt, by: madeBy }
}
