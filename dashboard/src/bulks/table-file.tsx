import { useState } from 'preact/hooks'
import { counted } from '../words/format.ts'
import { readTableFile } from './read-table-file.ts'

/** Takes the table as a file, dropped or chosen, or as text out of a spreadsheet. */
export function TableFile({
  fileName,
  rows,
  onText,
  onFault,
}: {
  fileName: string
  rows: number
  onText: (text: string, name: string) => void
  onFault: (sentence: string) => void
}) {
  const [isOver, setOver] = useState(false)
  const [isGuessed, setGuessed] = useState(false)
  const read = async (file: File | undefined) => {
    if (!file) return
    try {
      const read = await readTableFile(file)
      setGuessed(read.isGuessed)
      onText(read.text, file.name)
    } catch (error) {
      onFault((error as Error).message)
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a short way; the input is the way.
    <div
      class={`drop ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void read(event.dataTransfer?.files[0])
      }}
    >
      <label>
        CSV file: a row of names, then a row for each film. Drop it here, or choose it.
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={(event) => read(event.currentTarget.files?.[0])}
        />
      </label>
      <details>
        <summary>or paste rows out of a spreadsheet</summary>
        <label>
          <span class="hidden">Rows</span>
          <textarea
            rows={5}
            onInput={(event) => onText(event.currentTarget.value, 'pasted rows')}
          />
        </label>
      </details>
      {fileName && (
        <p class="quiet">
          <strong dir="auto">{fileName}</strong>: {counted(rows, 'line')} below the names
        </p>
      )}
      {isGuessed && (
        <p class="notice">
          The file is not in UTF-8. It was read as Windows-1252: see below whether all signs are
          right.
        </p>
      )}
    </div>
  )
}
