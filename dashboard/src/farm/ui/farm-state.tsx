import { Icon, type IconName } from '../../ui/icon.tsx'

const looks: Readonly<Record<string, readonly [icon: IconName, tone: string]>> = {
  active: ['done', 'good'],
  silent: ['failed', 'bad'],
  paused: ['waiting', 'warn'],
  cordoned: ['cancelled', 'warn'],
  draining: ['working', 'warn'],
  quarantined: ['failed', 'bad'],
  leaving: ['cancelled', 'quiet'],
  lost: ['failed', 'bad'],
  failed: ['failed', 'bad'],
  running: ['working', 'busy'],
  completed: ['done', 'good'],
}

/** State of a node or an attempt as icon, word and colour. */
export function FarmState({ of }: { of: string }) {
  const [icon, tone] = looks[of] ?? ['waiting', 'quiet']
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} size={14} /> {of}
    </span>
  )
}
