import './three-ways.css'
import { useState } from 'preact/hooks'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Card } from '../ui/parts.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { ProgramsDialog } from './programs-dialog.tsx'

/** Shows what to do after the demo film: change it, make many, or render from a program. */
export function ThreeWays({ jobId }: { jobId: string }) {
  const [key, setKey] = useState<string>()
  const [isBusy, during] = useBusy()
  const makeKey = () =>
    during(async () => {
      const wanted = { name: 'my first program', scopes: ['render' as const, 'jobs' as const] }
      const made = await act(() => farm.apiKeys.create(wanted), 'The key is made.')
      if (made) setKey(made.key)
    })
  return (
    <div class="three-ways">
      <Card title="Change a word and render again">
        <p class="quiet">The editor has this film’s project. Change a text, and render it again.</p>
        <a class="button" href={`/editor?job=${jobId}`}>
          Open it in the editor
        </a>
      </Card>
      <Card title="Make 5 of it">
        <p class="quiet">One invitation for each row of a table, mapped and checked at once.</p>
        <a class="button" href="/bulks/new?example=invitations">
          Open its table
        </a>
      </Card>
      <Card title="From a program">
        <p class="quiet">A new key, and programs that use it: curl, TypeScript and Python.</p>
        <button type="button" aria-disabled={isBusy} onClick={makeKey}>
          Make a key
        </button>
      </Card>
      {key && <ProgramsDialog apiKey={key} onKept={() => setKey(undefined)} />}
    </div>
  )
}
