import { spawn } from 'node:child_process'
import type { Job } from '../../client/farm-client.ts'
import { exitCodes, Failure } from '../failure.ts'

/** Shows a person the page that plays the film while it renders. */
export type Watch = {
  /** Opens the page as soon as there is one, or tells why there is none. */
  show(job: Job): void
  /** Keeps the page's farm until Ctrl-C. Returns at once when no page was opened. */
  serveOn(interrupted: Promise<never>): Promise<void>
}

export function createWatch(stream: NodeJS.WritableStream, open = openInBrowser): Watch {
  let isTold = false
  let page: string | null = null
  return {
    show({ watchUrl, noPlaylistReason }) {
      if (isTold || (watchUrl === null && noPlaylistReason === null)) return
      isTold = true
      page = watchUrl
      const text =
        watchUrl === null ? `nothing to watch: ${noPlaylistReason}` : `watch: ${watchUrl}`
      stream.write(`\n${text}\n`)
      if (watchUrl !== null) open(watchUrl)
    },
    async serveOn(interrupted) {
      if (page === null) return
      stream.write('the page plays on until Ctrl-C ends the farm\n')
      await interrupted.catch((error: unknown) => {
        if (!(error instanceof Failure && error.exitCode === exitCodes.interrupted)) throw error
      })
    },
  }
}

/** Opens the address where there is a desktop; elsewhere the printed address must do. */
function openInBrowser(url: string): void {
  const program = browserOpener()
  if (program === undefined) return
  const opener = spawn(program, [url], { stdio: 'ignore', detached: true })
  opener.once('error', () => undefined)
  opener.unref()
}

function browserOpener(): string | undefined {
  if (process.platform === 'darwin') return 'open'
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined
}
