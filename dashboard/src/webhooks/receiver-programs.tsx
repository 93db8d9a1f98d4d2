import { Copy } from '../ui/copy.tsx'
import { Json } from '../ui/json.tsx'
import { receiversFor } from './receivers.ts'

const secretName = 'FARM_WEBHOOK_SECRET'

/** Programs that verify the signature of what the farm sends. */
export function ReceiverPrograms() {
  return (
    <details class="card">
      <summary>Verify it in your program</summary>
      <p class="quiet">
        Both read the secret in <code>{secretName}</code> and listen at <code>PORT</code>.
      </p>
      {receiversFor(secretName).map(({ language, use, text }) => (
        <details key={language} class="receiver">
          <summary>{language}</summary>
          <p class="quiet">{use}</p>
          <Json text={text} label={`Receiver in ${language}`} />
          <Copy text={text} label={`Copy the ${language} receiver`} />
        </details>
      ))}
    </details>
  )
}
