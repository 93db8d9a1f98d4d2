import type { Outline } from '../../../core/plan/outline.ts'
import { counted, credits, duration } from '../words/format.ts'

/** Shows length, size, segments and price of a render. */
export function FilmFacts({ outline, isOld }: { outline: Outline; isOld: boolean }) {
  const { type, width, height, seconds, frameRate, frames, segments, outputFormat, exact } = outline
  const price = `${exact ? '' : 'up to '}${credits(outline.credits)}`
  const facts: (readonly [name: string, value: string])[] = [
    ['Price', price],
    ...(type === 'image'
      ? []
      : [
          ['Length', `${duration(seconds)}${exact ? '' : ' or longer'}`] as const,
          ['Frames', `${frames}, ${frameRate} a second`] as const,
          ['Cut into', counted(segments.length, 'segment')] as const,
        ]),
    ['Canvas', `${width} × ${height}, ${outputFormat}`],
  ]
  return (
    <dl class={isOld ? 'film-facts old' : 'film-facts'}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
