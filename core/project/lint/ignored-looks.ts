import { defaultActiveRadiusPx } from '../normalize-subtitle.ts'
import type { ResolvedSubtitle } from '../resolved.ts'
import type { FilledSubtitle } from '../schema/subtitle.ts'
import type { Warning } from './warning.ts'

/** Warns of given looks of a subtitle that its animation ignores. Defaults do not count. */
export function ignoredLooks(given: FilledSubtitle, normalized: ResolvedSubtitle): Warning[] {
  const { styles } = given
  const at = styles ? 'subtitle.styles' : 'subtitle'
  const { animation } = normalized
  const warnings: Warning[] = []
  const ignored = (key: string, message: string) =>
    warnings.push({ field: `${at}.${key}`, code: 'look_ignored', message })
  const activeWord = styles ? styles.activeWord : given.activeWord
  const isAsked = Object.keys(activeWord ?? {}).length > 0
  if (isAsked && !normalized.activeWord) {
    ignored(
      'activeWord',
      `activeWord has no effect, because the animation ${animation} has no active word.`,
    )
  }
  const radius = activeWord?.radius ?? defaultActiveRadiusPx
  const hasBackground = normalized.activeWord?.background !== undefined
  if (normalized.activeWord && !hasBackground && radius !== defaultActiveRadiusPx) {
    ignored('activeWord.radius', 'radius has no effect, because activeWord has no background.')
  }
  if (normalized.direction !== 'up' && animation !== 'slide') {
    const key = styles ? 'slideDirection' : 'direction'
    ignored(key, `${key} only has an effect with the animation slide. Got ${animation}.`)
  }
  for (const key of ['backgroundPadding', 'backgroundRadius'] as const) {
    if (!styles || styles.background !== undefined || !styles[key]) continue
    ignored(key, `${key} only has an effect with a background. Got none.`)
  }
  return warnings
}
