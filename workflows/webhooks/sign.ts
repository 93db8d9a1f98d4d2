import { createHmac } from 'node:crypto'
import {
  type Attempt,
  type Signatures,
  secretPrefix,
  signedText,
  standardSignedText,
} from '../../core/webhooks/signature.ts'

/**
 * Signs an attempt with every valid secret, the newest first. The standard's header holds all
 * signatures; our own holds one. There the secrets alternate between attempts, beginning with the
 * newest. So a receiver that knows one secret only, old or new, accepts the first or the second
 * attempt. `number`: index of the attempt, from 0.
 */
export function sign(
  attempt: Attempt,
  { secrets, number }: { secrets: readonly string[]; number: number },
): Signatures {
  const secret = secrets[number % secrets.length]
  if (secret === undefined) throw new Error('A delivery must have a secret to be signed with')
  return {
    own: createHmac('sha256', secret).update(signedText(attempt)).digest('hex'),
    standard: secrets.map((each) =>
      createHmac('sha256', Buffer.from(each.slice(secretPrefix.length), 'base64'))
        .update(standardSignedText(attempt))
        .digest('base64'),
    ),
  }
}
