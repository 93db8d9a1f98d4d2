import { useEffect, useRef, useState } from 'preact/hooks'
import { farmOfFile } from '../session/farm.ts'

export type Uploading = {
  readonly name: string
  /** Part of 1 that is sent. */
  readonly part: number
}

/** Uploads one file at a time; a page that is left ends its upload. */
export function useUpload(onUrl: (url: string) => void) {
  const [uploading, setUploading] = useState<Uploading>()
  const [said, setSaid] = useState('')
  const [isFault, setFault] = useState(false)
  const ending = useRef<AbortController>(undefined)
  useEffect(() => () => ending.current?.abort(), [])

  const tell = (sentence: string, fault = false) => {
    setSaid(sentence)
    setFault(fault)
  }
  const send = async (file: File | undefined) => {
    if (!file || ending.current) return
    const own = new AbortController()
    ending.current = own
    tell('')
    setUploading({ name: file.name, part: 0 })
    const farm = farmOfFile((part) => setUploading({ name: file.name, part }))
    try {
      const { url, name } = await farm.uploads.create(file, { signal: own.signal })
      onUrl(url)
      tell(`The address of ${name} is in the text.`)
    } catch (error) {
      if (own.signal.aborted) tell('The upload was cancelled.')
      else tell(error instanceof Error ? error.message : String(error), true)
    } finally {
      ending.current = undefined
      setUploading(undefined)
    }
  }
  return { uploading, said, isFault, send, cancel: () => ending.current?.abort() }
}
