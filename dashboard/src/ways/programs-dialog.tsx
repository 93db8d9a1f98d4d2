import { Copy } from '../ui/copy.tsx'
import { Json } from '../ui/json.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { programsFor } from './programs.ts'

/** Shows a new key, this once, with programs that hold it. */
export function ProgramsDialog({ apiKey, onKept }: { apiKey: string; onKept: () => void }) {
  return (
    <SecretDialog title="Your new key" secret={apiKey} name="FARM_API_KEY" onKept={onKept}>
      <div class="programs">
        {programsFor(location.origin, apiKey).map(({ language, use, text }) => (
          <details key={language} name="programs" open={language === 'curl'}>
            <summary>{language}</summary>
            <p class="quiet">{use}</p>
            <Json text={text} label={`Program in ${language}`} />
            <Copy text={text} label={`Copy the ${language} program`} />
          </details>
        ))}
      </div>
    </SecretDialog>
  )
}
