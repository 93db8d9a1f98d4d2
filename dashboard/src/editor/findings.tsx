import { Icon } from '../ui/icon.tsx'
import { Fault } from '../ui/parts.tsx'
import { counted } from '../words/format.ts'
import type { Edit } from './edits.ts'
import type { Finding } from './located.ts'

/** The judge's faults and warnings. A press leads to the place in the text. */
export function Findings({
  findings,
  isJudged,
  isRepairable,
  fault,
  onAgain,
  onGo,
  onFix,
  onRepair,
}: {
  findings: readonly Finding[]
  isJudged: boolean
  isRepairable: boolean
  /** Reason for which nothing was judged. */
  fault: Error | undefined
  onAgain: () => void
  onGo: (finding: Finding) => void
  onFix: (edit: Edit) => void
  onRepair: () => void
}) {
  const faults = findings.filter(({ severity }) => severity === 'error').length
  return (
    <section class="card findings" aria-label="Faults and warnings">
      <header class="card-head">
        <h2>{headOf({ isJudged, fault, faults, all: findings.length })}</h2>
        {isRepairable && (
          <button type="button" onClick={onRepair}>
            Repair what is clear
          </button>
        )}
      </header>
      {fault && <Fault error={fault} onRetry={onAgain} />}
      {findings.length === 0 ? (
        isJudged && !fault && <p class="quiet">The farm would take this project as it is.</p>
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

function headOf({
  isJudged,
  fault,
  faults,
  all,
}: {
  isJudged: boolean
  fault: Error | undefined
  faults: number
  all: number
}): string {
  if (fault) return 'Not checked'
  if (!isJudged) return 'Checking…'
  if (all === 0) return 'No faults'
  const warnings = all - faults
  const parts = [
    ...(faults > 0 ? [counted(faults, 'fault')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]
  return parts.join(', ')
}
