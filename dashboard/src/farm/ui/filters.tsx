import type { ComponentChildren } from 'preact'
import { Icon } from '../../ui/icon.tsx'

const typingMs = 300

/** A field that searches while one types. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (text: string) => void
}) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <span class="hidden">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={value}
        maxLength={200}
        onInput={({ currentTarget }) => {
          clearTimeout(timer)
          timer = setTimeout(() => onChange(currentTarget.value.trim()), typingMs)
        }}
      />
    </label>
  )
}

/** A field that filters once it is left. `label` says more than there is room for in the field. */
export function TextFilter({
  name,
  label,
  placeholder,
  value,
  onChange,
}: {
  name: string
  label: string
  placeholder: string
  value: string
  onChange: (text: string) => void
}) {
  return (
    <label title={label}>
      <span class="hidden">{label}</span>
      <input
        name={name}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    </label>
  )
}

/** One of some words, or all. */
export function Select({
  label,
  all,
  value,
  options,
  onChange,
}: {
  label: string
  all: string
  value: string
  options: readonly (readonly [value: string, name: ComponentChildren])[]
  onChange: (value: string) => void
}) {
  return (
    <label>
      <span class="hidden">{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
