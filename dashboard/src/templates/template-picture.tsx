import { useEffect, useRef, useState } from 'preact/hooks'
import type { TemplateSummary } from '../../../client/farm-client.ts'
import { Icon } from '../ui/icon.tsx'
import { Picture } from '../ui/parts.tsx'
import { cropOf, type SheetFrame } from '../ui/sheet-frame.ts'
import { type Named, paint, paintedBefore } from './painted.ts'

/** Picture of a template's last render; one that was never rendered is painted once it is in sight. */
export function TemplatePicture({ template }: { template: TemplateSummary }) {
  const { thumbnailUrl, archived } = template
  return thumbnailUrl || archived ? (
    <Picture src={thumbnailUrl} />
  ) : (
    <PaintedPicture key={template.updatedAt} template={template} />
  )
}

/** Picture of a template with its own variables, painted once it is in sight. */
export function PaintedPicture({ template }: { template: Named }) {
  const box = useRef<HTMLSpanElement>(null)
  const [shown, setShown] = useState(() => paintedBefore(template))
  useEffect(() => {
    if (shown || !box.current) return
    const ending = new AbortController()
    const seeing = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      seeing.disconnect()
      void paint(template, ending.signal).then((found) => {
        if (!ending.signal.aborted) setShown(found)
      })
    })
    seeing.observe(box.current)
    return () => {
      seeing.disconnect()
      ending.abort()
    }
  }, [])
  return (
    <span class="picture" ref={box}>
      {shown ? <Frame of={shown} /> : <Icon name="picture" />}
    </span>
  )
}

function Frame({ of }: { of: SheetFrame }) {
  const { width, height } = of.frame
  const isWide = width / height > boxShape
  const style = { aspectRatio: `${width} / ${height}`, [isWide ? 'width' : 'height']: '100%' }
  return (
    <span class="frame" style={style}>
      <img src={of.address} alt="" style={cropOf(of)} />
    </span>
  )
}

/** Width of the box by its height. */
const boxShape = 1.6
