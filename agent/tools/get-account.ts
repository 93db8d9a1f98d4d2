import { hints, object, text, tool } from '../tool.ts'

export const getAccount = tool<Record<never, never>>({
  name: 'get_account',
  title: 'Account, limits and credits',
  description:
    'Plan, limits, credits and what this connection may do. Free. Read it before you plan.',
  hints: hints.reads,
  input: object({}),
  async run(_, { farm, connection, signal }) {
    const [{ plan }, { balance, reserved }] = await Promise.all([
      farm.profile({ signal }),
      farm.credits.balance({ signal }),
    ])
    const { profile, renderCap, bulkCap } = connection
    const cap = renderCap === null ? 'none' : `${renderCap} credits a render`
    return text(
      `Plan ${plan.name}: ${JSON.stringify(plan.limits)}`,
      `Credits: ${balance - reserved} available (balance ${balance}, ${reserved} held).`,
      `This connection: profile ${profile}, spending cap ${cap}, bulks of at most ${bulkCap} items.`,
    )
  },
})
