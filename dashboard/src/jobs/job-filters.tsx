import type { ComponentChildren } from 'preact'
import { jobStates } from '../../../core/jobs/jobs.ts'
import { Icon } from '../ui/icon.tsx'
import { count } from '../words/format.ts'
import { type JobFilter, openStates, spans } from './job-query.ts'

const typingMs = 300
const running = openStates.join(',')
const offered: readonly string[] = [...jobStates, running]

export function JobFilters({
  filter,
  counts,
  onChange,
  children,
}: {
  filter: JobFilter
  counts: Readonly<Record<string, number>> | undefined
  onChange: (filter: JobFilter) => void
  children?: ComponentChildren
}) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const search = (text: string) => {
    clearTimeout(timer)
    timer = setTimeout(() => onChange({ ...filter, search: text.trim() }), typingMs)
  }
  return (
    <search class="filters">
      <label class="search">
        <Icon name="search" size={16} />
        <span class="hidden">Search by name</span>
        <input
          type="search"
          placeholder="Search by name"
          value={filter.search ?? ''}
          maxLength={200}
          onInput={(event) => search(event.currentTarget.value)}
        />
      </label>
      <label>
        <span class="hidden">State</span>
        <select
          value={filter.state ?? ''}
          onChange={(event) => onChange({ ...filter, state: event.currentTarget.value })}
        >
          <option value="">All states</option>
          <option value={running}>running or waiting</option>
          {jobStates.map((state) => (
            <option key={state} value={state}>
              {state}
              {counts?.[state] !== undefined && ` (${count(counts[state])})`}
            </option>
          ))}
          {filter.state && !offered.includes(filter.state) && (
            <option value={filter.state}>{filter.state.replaceAll(',', ', ')}</option>
          )}
        </select>
      </label>
      <label>
        <span class="hidden">Kind</span>
        <select
          value={filter.type ?? ''}
          onChange={(event) => onChange({ ...filter, type: event.currentTarget.value })}
        >
          <option value="">Films and stills</option>
          <option value="video">Films</option>
          <option value="image">Stills</option>
        </select>
      </label>
      <label>
        <span class="hidden">Made</span>
        <select
          value={filter.from ?? ''}
          onChange={(event) => onChange({ ...filter, from: event.currentTarget.value })}
        >
          <option value="">At any time</option>
          {Object.entries(spans).map(([span, [name]]) => (
            <option key={span} value={span}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {(filter.bulkId || filter.templateId) && (
        <button type="button" onClick={() => onChange({ ...filter, bulkId: '', templateId: '' })}>
          Of {filter.bulkId ?? filter.templateId} ×
        </button>
      )}
      {children}
    </search>
  )
}
