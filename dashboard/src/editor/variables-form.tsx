import { Card } from '../ui/parts.tsx'
import { type FormField, fieldsOf, readText, textOf, type Values, withValue } from './form.ts'

/** Values for this render. The project's own stay what they are. */
export function VariablesForm({
  project,
  values,
  onChange,
}: {
  project: unknown
  values: Values
  onChange: (values: Values) => void
}) {
  const fields = fieldsOf(project)
  const others = Object.keys(values).filter((name) => !fields.some((field) => field.name === name))
  if (fields.length === 0 && others.length === 0) return null
  const set = (field: FormField, value: unknown) => onChange(withValue(values, field, value))
  return (
    <Card
      title="Variables"
      aside={
        Object.keys(values).length > 0 && (
          <button type="button" onClick={() => onChange({})}>
            Back to the project’s
          </button>
        )
      }
    >
      <div class="fields">
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values[field.name] ?? field.value}
            set={set}
          />
        ))}
        {others.map((name) => (
          <p key={name} class="quiet">
            <code>{name}</code> is <code>{JSON.stringify(values[name])}</code>, as the job was sent.
          </p>
        ))}
      </div>
    </Card>
  )
}

function Field({
  field,
  value,
  set,
}: {
  field: FormField
  value: unknown
  set: (field: FormField, value: unknown) => void
}) {
  const { name, kind } = field
  if (kind === 'flag') {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          onInput={(event) => set(field, event.currentTarget.checked)}
        />
        {name}
      </label>
    )
  }
  const id = `variable-${name}`
  const text = textOf(field, value)
  const onInput = (event: { currentTarget: { value: string } }) =>
    set(field, readText(field, event.currentTarget.value))
  return (
    <label for={id}>
      {name}
      {(kind === 'lines' || kind === 'json') && (
        <textarea id={id} rows={3} value={text} onInput={onInput} />
      )}
      {kind === 'color' && <input id={id} type="color" value={text} onInput={onInput} />}
      {kind === 'number' && (
        <input id={id} type="text" inputMode="decimal" value={text} onInput={onInput} />
      )}
      {kind === 'line' && <input id={id} type="text" value={text} onInput={onInput} />}
    </label>
  )
}
