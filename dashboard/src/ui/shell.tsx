import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Icon, type IconName } from './icon.tsx'
import { keepFocusIn } from './keep-focus.ts'
import { LostBanner } from './lost-banner.tsx'
import { useRoomInSight } from './room-in-sight.ts'
import { Toasts } from './toast.tsx'

/** A place in the menu. */
export type Room = readonly [path: string, name: string, icon: IconName]

/** Frame of every page: where one can go, the way out, whether what is shown is of now. */
export function Shell({
  label,
  brand,
  home,
  rooms,
  end,
  isLost,
  shortcuts,
  children,
}: {
  /** Name of the menu, for screen readers. */
  label: string
  brand: string
  /** Path of the first room. */
  home: string
  rooms: readonly Room[]
  /** Items at the menu's end. */
  end: ComponentChildren
  isLost: boolean
  shortcuts: ComponentChildren
  children: ComponentChildren
}) {
  const { path } = useLocation()
  const main = useRef<HTMLElement>(null)
  useLayoutEffect(() => (main.current ? keepFocusIn(main.current) : undefined), [])
  const menu = useRoomInSight(path, rooms.length)
  const isHere = (room: string) => path === room || (room !== home && path.startsWith(`${room}/`))
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <nav aria-label={label} ref={menu}>
        <a class="brand" href={home}>
          <img src="/icon.svg" alt="" width="26" height="26" /> <span>{brand}</span>
        </a>
        <ul>
          {rooms.map(([room, name, icon]) => (
            <li key={room}>
              <a href={room} aria-current={isHere(room) ? 'page' : undefined}>
                <Icon name={icon} /> <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
        <ul class="nav-end">{end}</ul>
      </nav>
      <main id="content" class={isLost ? 'lost' : ''} tabIndex={-1} ref={main}>
        {children}
      </main>
      <LostBanner isLost={isLost} />
      {shortcuts}
      <Toasts />
    </div>
  )
}
