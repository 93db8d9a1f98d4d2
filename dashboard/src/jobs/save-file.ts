import { fileNameIn } from '../../../client/file-name.ts'
import { farm } from '../session/farm.ts'
import { saveBlob } from '../ui/save.ts'

/**
 * Saves the file of a job as the browser's download. It is read whole first, so that several can be saved at once
 * from a bucket of another origin, whose files a browser would open in place of the page.
 *
 * @throws Error when the job has no file any more, or it cannot be read
 */
export async function saveFileOf(id: string): Promise<void> {
  const { downloadUrl } = await farm.getJob(id)
  if (downloadUrl === null) throw new Error('The job has no file any more')
  const response = await fetch(downloadUrl, { referrerPolicy: 'no-referrer' })
  if (!response.ok) throw new Error(`The file cannot be read: HTTP ${response.status}`)
  const name = fileNameIn(dispositionOf(response, downloadUrl)) ?? id
  saveBlob(await response.blob(), name)
}

/** Header of the farm's own, or a parameter of the bucket's address. */
function dispositionOf({ headers }: Response, url: string): string {
  const ofBucket = new URL(url).searchParams.get('response-content-disposition')
  return headers.get('content-disposition') ?? ofBucket ?? ''
}
