import { capsText } from '../caps.ts'
import { hints, object, text, tool } from '../tool.ts'
import { counted, leftText } from '../wording.ts'

export const getAccount = tool<Record<never, never>>({
  name: 'get_account',
  title: 'Account, limits and credits',
  description:
    'Plan, limits, credits and what this connection may do. Free. Read it before you plan.',
  hints: hints.reads,
  input: object({}),
  async run(_, { farm, connection, signal }) {
    const [{ plan, keyCredits }, { balance, reserved }] = await Promise.all([
      farm.profile({ signal }),
      farm.credits.balance({ signal }),
    ])
    const { profile, bulkCap } = connection
    const itemsMost = Math.min(bulkCap, plan.limits.bulkItems ?? bulkCap)
    return text(
      `Plan ${plan.name}: ${JSON.stringify(plan.limits)}`,
      `Credits: ${balance - reserved} available (balance ${balance}, ${reserved} held).`,
      `This connection: profile ${profile}, ${capsText(connection)}, bulks of at most ${counted(itemsMost, 'item')}.`,
      ...(keyCredits
        ? [
            `Its API key: ${counted(keyCredits.cap, 'credit')} in all of which ${leftText(keyCredits.left)}.`,
          ]
        : []),
    )
  },
})
