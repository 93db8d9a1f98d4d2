import { readFile } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'

/** Serves small pages of plain HTML that load their own files and nothing else. */

/** `mediaSrc`: sources of films; none by default. */
export function pagePolicy({ mediaSrc = ["'none'"] }: { mediaSrc?: readonly string[] } = {}) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        connectSrc: ["'self'"],
        imgSrc: ["'none'"],
        mediaSrc: [...mediaSrc],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' as const },
  }
}

/** Sets the headers of a page, or of one of its files. */
export async function dressPage(
  reply: FastifyReply,
  { type, policy = pagePolicy() }: { type: string; policy?: ReturnType<typeof pagePolicy> },
): Promise<void> {
  await reply.helmet(policy)
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  reply.type(`${type}; charset=utf-8`)
}

/** Reads a page's file; its styles come after those that all pages share. */
export async function readPageFile(file: URL): Promise<string> {
  const own = await readFile(file, 'utf8')
  if (!file.pathname.endsWith('.css')) return own
  return `${await readFile(new URL('page/page.css', import.meta.url), 'utf8')}${own}`
}
