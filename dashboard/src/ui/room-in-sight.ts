import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Moves a menu that is wider than the screen, so that the name of the present room is seen. `count`: rooms, some of
 * which come once the role is known.
 */
export function useRoomInSight(path: string, count: number) {
  const menu = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const nav = menu.current
    const room = nav?.querySelector<HTMLElement>('[aria-current]')
    if (!nav || !room) return
    const centre = () => {
      const [outer, inner] = [nav.getBoundingClientRect(), room.getBoundingClientRect()]
      // The page itself must not scroll, as `scrollIntoView` would.
      nav.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2
    }
    centre()
    // Names are wider or narrower once their font is there.
    if (document.fonts.status === 'loading') void document.fonts.ready.then(centre)
  }, [path, count])
  return menu
}
