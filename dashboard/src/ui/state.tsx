import { Icon, type IconName } from './icon.tsx'

const looks: Readonly<Record<string, readonly [icon: IconName, tone: string]>> = {
  queued: ['waiting', 'quiet'],
  resolving: ['working', 'busy'],
  rendering: ['working', 'busy'],
  assembling: ['working', 'busy'],
  running: ['working', 'busy'],
  pending: ['waiting', 'busy'],
  held: ['waiting', 'quiet'],
  completed: ['done', 'good'],
  finished: ['done', 'good'],
  succeeded: ['done', 'good'],
  active: ['done', 'good'],
  failed: ['failed', 'bad'],
  disabled: ['failed', 'bad'],
  refused: ['failed', 'bad'],
  cancelled: ['cancelled', 'quiet'],
}

/** State as icon, word and colour, so that none of them is needed to read it. */
export function State({ of }: { of: string }) {
  const [icon, tone] = looks[of] ?? ['waiting', 'quiet']
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} size={14} /> {of}
    </span>
  )
}
