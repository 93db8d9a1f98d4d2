import { Icon } from '../ui/icon.tsx'
import { counted } from '../words/format.ts'
import type { Edit } from './edits.ts'
import type { Finding } from './located.ts'

/** The judge's faults and warnings. A press leads to the place in the text. */
export function Findings({
  findings,
  isJudged,
  isRepairable,
  onGo,
  onFix,
  onRepair,
}: {
  findings: readonly Finding[]
  isJudged: boolean
  isRepairable: boolean
  onGo: (finding: Finding) => void
  onFix: (edit: Edit) => void
  onRepair: () => void
}) {
  const faults = findings.filter(({ severity }) => severity === 'error').length
  return (
    <section class="card findings" aria-label="Faults and warnings">
      <header class="card-head">
        <h2>{isJudged ? headOf(faults, findings.length - faults) : 'Checking…'}</h2>
        {isRepairable && (
          <button type="button" onClick={onRepair}>
            Repair what is clear
          </button>
        )}
      </header>
      {findings.length === 0 ? (
        isJudged && <p class="quiet">The farm would take this project as it is.</p>
      ) : (
        <ul>
          {findings.slice(0, shown).map((finding) => (
            <li key={`${finding.from} ${finding.field} ${finding.message}`}>
              <button type="button" class="finding" onClick={() => onGo(finding)}>
                <span class={finding.severity === 'error' ? 'bad' : 'warn'}>
                  <Icon name="failed" size={16} />
                  <span class="hidden">{finding.severity === 'error' ? 'Fault' : 'Warning'} </span>
                </span>
                <span>
                  {finding.field && <code>{finding.field}</code>} {finding.message}{' '}
                  <span class="quiet">{finding.code}</span>
                </span>
              </button>
              {finding.fix && (
                <button
                  type="button"
                  title={finding.fix.why}
                  onClick={() => finding.fix && onFix(finding.fix.edit)}
                >
                  Repair
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {findings.length > shown && (
        <p class="quiet">{counted(findings.length - shown, 'more')} in the text.</p>
      )}
    </section>
  )
}

const shown = 50

function headOf(faults: number, warnings: number): string {
  if (faults + warnings === 0) return 'No faults'
  const parts = [
    ...(faults > 0 ? [counted(faults, 'fault')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]
  return parts.join(', ')
}
