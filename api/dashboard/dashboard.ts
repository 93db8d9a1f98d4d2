import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LinkSigner } from '../../store/objects/object-store.ts'
import { wantsPage } from '../gateway/accept.ts'
import { pathOf } from '../gateway/path.ts'
import { pagePolicy, permissionsPolicy } from './page-policy.ts'

/** Addresses under which every unknown one gets a problem, also in a browser. */
const notPages = /^\/(api|assets|docs|mcp|oauth|objects|play|watch|\.well-known)(\/|$)/
/** Addresses of the operators' pages. */
export const farmPages = /^\/farm(\/|$)/
/** A file beside index.html, such as an icon. */
const looseFile = /^\/[\w-][\w.-]*\.[a-z0-9]+$/

export type Dashboard = ReturnType<typeof createDashboard>

/**
 * Serves the built dashboard from a folder, which may be built while the api runs. Every address that
 * a person may have in a browser gets the one page, which reads the address itself.
 */
export function createDashboard({
  folder,
  publicUrl,
  objects,
  hasFarm,
}: {
  folder: string
  publicUrl: string
  objects: LinkSigner
  /** True: the operators' pages are among them. */
  hasFarm: boolean
}) {
  let objectsOrigin: string | undefined

  /** Origin that signed addresses lead to, which only the store knows. */
  async function findObjectsOrigin(): Promise<string | undefined> {
    objectsOrigin ??= new URL(await objects.signGet('x', { seconds: 1, forCustomer: true })).origin
    return objectsOrigin === new URL(publicUrl).origin ? undefined : objectsOrigin
  }

  async function isFile(name: string): Promise<boolean> {
    return await stat(join(folder, name)).then(
      (facts) => facts.isFile(),
      () => false,
    )
  }

  const hasBuild = async () => await isFile('index.html')

  /** Sends a file of the build; its age for caches is set once it is found (dashboard.route.ts). */
  async function send(reply: FastifyReply, name: string): Promise<FastifyReply> {
    await reply.helmet(pagePolicy(await findObjectsOrigin()))
    reply.header('permissions-policy', permissionsPolicy).header('vary', 'Accept')
    return reply.sendFile(name, folder)
  }

  return {
    hasBuild,
    send,
    sendPage: async (reply: FastifyReply) => await send(reply, 'index.html'),
    /** Returns the file that an address without a route shows; undefined: it shows a problem. */
    async fileFor({ method, url, headers }: FastifyRequest): Promise<string | undefined> {
      const path = pathOf(url)
      if ((method !== 'GET' && method !== 'HEAD') || notPages.test(path)) return undefined
      if (!hasFarm && farmPages.test(path)) return undefined
      if (looseFile.test(path) && (await isFile(path.slice(1)))) return path.slice(1)
      return wantsPage(headers.accept) && (await hasBuild()) ? 'index.html' : undefined
    },
  }
}
