import type { Outline } from '../../../core/plan/outline.ts'
import { Fault } from '../ui/parts.tsx'
import { cropOf, type SheetFrame } from '../ui/sheet-frame.ts'

/** The farm's own picture of a moment, never a likeness. */
export function PictureView({
  picture,
  error,
  isPainting,
  outline,
  isOld,
}: {
  picture: SheetFrame | undefined
  error: Error | undefined
  isPainting: boolean
  outline: Outline | undefined
  isOld: boolean
}) {
  const { width = 16, height = 9 } = outline ?? {}
  return (
    <figure class="exact-picture">
      <div class="screen" style={{ aspectRatio: `${width} / ${height}` }}>
        {picture && (
          <img
            src={picture.address}
            alt={captionOf(picture)}
            width={picture.width}
            height={picture.height}
            style={cropOf(picture)}
            class={isOld || isPainting ? 'old' : ''}
          />
        )}
      </div>
      <figcaption class="quiet" aria-live="polite">
        {isPainting && 'Painting…'}
        {!isPainting &&
          picture &&
          `${captionOf(picture)}${isOld ? ', before the last change' : ''}`}
        {!isPainting && !picture && !error && 'The picture appears once the project has no faults.'}
      </figcaption>
      {error && !isPainting && <Fault error={error} />}
    </figure>
  )
}

const captionOf = ({ time }: SheetFrame) =>
  time === undefined ? 'As rendered' : `As rendered, at ${time.toFixed(2)} s`
