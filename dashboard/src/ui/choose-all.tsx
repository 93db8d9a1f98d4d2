/** Head of a column of checkboxes. Where there is no room for heads of columns, it says what it does. */
export function ChooseAll({
  label,
  checked,
  onChange,
}: {
  /** Begins with `Choose all`. */
  label: string
  checked: boolean
  onChange: (isWanted: boolean) => void
}) {
  return (
    <label class="check choose-all">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>Choose all</span>
    </label>
  )
}
