import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { UploadList } from './upload-list.tsx'
import { useUpload } from './use-upload.ts'

/** The text, on which media may be dropped. Their addresses go to the caret. */
export function UploadCard({
  onUrl,
  children,
}: {
  onUrl: (url: string) => void
  children: ComponentChildren
}) {
  const [isOver, setOver] = useState(false)
  const { uploading, said, isFault, send, cancel } = useUpload(onUrl)
  return (
    <section
      class={`card code-card ${isOver ? 'over' : ''}`}
      aria-label="Project"
      onDragOverCapture={(event) => {
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDropCapture={(event) => {
        setOver(false)
        const file = mediumIn(event.dataTransfer)
        if (!file) return
        // The text's own answer to a file is to insert what is in it.
        event.preventDefault()
        event.stopPropagation()
        void send(file)
      }}
    >
      {children}
      <div class="uploads">
        {uploading ? (
          <p>
            <label>
              Uploading <bdi>{uploading.name}</bdi>
              <progress value={uploading.part} max={1} />
            </label>
            <button type="button" onClick={cancel}>
              Cancel upload
            </button>
          </p>
        ) : (
          <label>
            Picture, clip or sound of yours: drop it on the text, or choose it
            <input
              type="file"
              accept="image/*,video/*,audio/*,.mkv"
              onChange={(event) => {
                const input = event.currentTarget
                void send(input.files?.[0])
                // The same file may be chosen again.
                input.value = ''
              }}
            />
          </label>
        )}
        <p role={isFault ? 'alert' : 'status'} class={isFault ? 'bad' : 'quiet'}>
          {said}
        </p>
        <UploadList onUrl={onUrl} turn={said} />
      </div>
    </section>
  )
}

/** A project that is dropped as a file of text is no medium. */
function mediumIn(dropped: DataTransfer | null): File | undefined {
  return [...(dropped?.files ?? [])].find(({ type }) => /^(image|video|audio)\//.test(type))
}
