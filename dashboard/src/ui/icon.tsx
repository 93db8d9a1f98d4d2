const paths = {
  overview: 'M3 11.5 12 4l9 7.5M5.5 10v10h13V10',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  bulks: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  templates: 'M6 3h9l4 4v14H6zM14 3v5h5',
  editor: 'M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16',
  webhooks: 'M12 3v6m0 6v6M5 8l5 3m4 2 5 3M19 8l-5 3m-4 2-5 3',
  keys: 'M15.5 3a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM11.5 12.5 3 21v0h4v-3h3v-3l1.5-1.5M17 7v.01',
  credits:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9.5h5a2 2 0 0 1 0 4h-4a2 2 0 0 0 0 4h5M12 7v2.5M12 17v1',
  settings: 'M4 7h10m4 0h2M4 17h2m4 0h10M14 4v6M6 14v6',
  play: 'M8 5v14l11-7z',
  done: 'm5 12 5 5 9-10',
  failed: 'M12 4 2.5 20h19zM12 10v4m0 3v.01',
  cancelled: 'M6 6l12 12M18 6 6 18',
  waiting: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
  working: 'M20 12a8 8 0 1 1-4-6.9M20 4v5h-5',
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  signOut: 'M10 4H5v16h5M14 8l4 4-4 4m4-4H9',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.5 1.5m11 11L19 19M19 5l-1.5 1.5m-11 11L5 19',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5v.01',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zm4.5 10.5L20 20',
} as const

export type IconName = keyof typeof paths

/** Icon beside a word; screen readers read the word alone. `size`: px at the usual size of text, with which it grows. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  const side = `${size / 16}rem`
  return (
    <svg class="icon" width={side} height={side} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
