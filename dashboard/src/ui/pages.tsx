/** Leads through the pages of a list, the newest first; shown where there is more than one. */
export function Pages({
  label,
  page,
  pageSize,
  total,
  onGo,
}: {
  label: string
  page: number
  pageSize: number
  total: number
  onGo: (page: number) => void
}) {
  if (total <= pageSize && page === 1) return null
  return (
    <nav class="pages" aria-label={label}>
      <button type="button" disabled={page === 1} onClick={() => onGo(page - 1)}>
        Newer
      </button>
      <span class="quiet">
        Page {page} of {Math.max(1, Math.ceil(total / pageSize))}
      </span>
      <button type="button" disabled={page * pageSize >= total} onClick={() => onGo(page + 1)}>
        Older
      </button>
    </nav>
  )
}

/** Reads the page of an address. */
export const pageOf = (query: Readonly<Record<string, string>>): number =>
  Math.max(1, Math.trunc(Number(query.page)) || 1)
