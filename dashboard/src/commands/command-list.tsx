import './commands.css'
import { isOperatorHere } from '../session/session.ts'
import { Copy } from '../ui/copy.tsx'
import { type Action, actions } from './actions.ts'
import { type Command, textsOf } from './texts.ts'

/** Acts with their texts, each to copy. */
export function CommandList({ commands }: { commands: readonly Command[] }) {
  const given = { origin: location.origin, isOperator: isOperatorHere() }
  const isPersons = commands.some(({ action }) => (actions[action] as Action).by === 'person')
  const shown = commands.map((command) => ({ command, texts: textsOf(command, given) }))
  return (
    <>
      <p class="quiet">
        {isPersons ? (
          <>
            <code>ACCESS_TOKEN</code> holds the <code>accessToken</code> of a sign-in. For{' '}
            <code>farm</code> it is <code>FARM_ACCESS_TOKEN</code>, with{' '}
            <code>FARM_URL={location.origin}</code>.
          </>
        ) : (
          <>
            <code>FARM_API_KEY</code> holds a key, and for <code>farm</code>{' '}
            <code>FARM_URL={location.origin}</code>.
          </>
        )}
      </p>
      <ul>
        {shown.map(({ command, texts }, at) => (
          <li key={at}>
            <strong>{actions[command.action].says}</strong>
            {texts.map(({ kind, text }) => (
              <div key={kind} class="command">
                <pre>
                  <code>{text}</code>
                </pre>
                <Copy text={text} label={`Copy ${kind}`} />
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}
