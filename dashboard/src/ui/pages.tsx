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
  const last = Math.max(1, Math.ceil(total / pageSize))
  return (
    <nav class="pages" aria-label={label}>
      {page > last && (
        <p>
          The list ends before page {page}.{' '}
          <button type="button" class="link" onClick={() => onGo(last)}>
            Go to its last page
          </button>
        </p>
      )}
      <button type="button" disabled={page === 1} onClick={() => onGo(Math.min(page - 1, last))}>
        Newer
      </button>
      <span class="quiet">
        Page {page} of {last}
      </span>
      <button type="button" disabled={page * pageSize >= total} onClick={() => onGo(page + 1)}>
        Older
      </button>
    </nav>
  )
}

/** No list has more pages for the farm. */
const mostPages = 1_000_000

/** Reads the page of an address. */
export const pageOf = (query: Readonly<Record<string, string>>): number =>
  Math.min(mostPages, Math.max(1, Math.trunc(Number(query.page)) || 1))
