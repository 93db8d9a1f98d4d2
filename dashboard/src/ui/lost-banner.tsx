/** Says that the farm is away, over the page's lower edge. */
export function LostBanner({ isLost }: { isLost: boolean }) {
  if (!isLost) return null
  return (
    <p class="banner" role="status">
      The farm cannot be reached. The page shows the last state, and tries again by itself.
    </p>
  )
}
