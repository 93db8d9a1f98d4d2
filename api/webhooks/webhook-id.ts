import { Type } from 'typebox'
import { derivedId } from '../gateway/derived-id.ts'
import { uuidPattern } from '../gateway/uuid.ts'

const own = 'whk_[A-Za-z0-9]{20}'

/** Endpoints that predate such ids go by their UUID. */
const pattern = `^(?:${own}|${uuidPattern})$`

export const WebhookId = Type.String({ pattern })
export const WebhookParams = Type.Object({
  id: Type.String({
    pattern,
    title: '"whk_" and 20 letters or digits, or the UUID of an older endpoint',
  }),
})

/** `seed`: a UUID; the same one gives the same id. */
export function webhookIdOf(seed: string): string {
  return `whk_${derivedId(seed)}`
}
