import { FarmError, pointerOf } from '../../core/errors.ts'
import { maxBodyBytes } from '../../core/limits.ts'
import { patched } from '../../core/project/json-patch.ts'
import { makeReport } from '../../core/project/report.ts'
import { ProjectPatch, ProjectPatchList } from '../../core/project/schema/draft.ts'
import { checkBounds } from '../../core/project/walk.ts'
import type { Db } from '../../store/db/database.ts'
import { changeProject } from '../../store/db/projects/change-project.ts'
import { getProject, type Project, type ProjectOf } from '../../store/db/projects/get-project.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { acceptType } from '../gateway/json-body.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { toProblem } from '../jobs/submission.ts'
import { ProjectParams, projectNotFound } from './project-id.ts'
import { staleVersion } from './project-versions.route.ts'
import { ProjectView, showProject } from './project-view.ts'

const readPatch = bodyReader(ProjectPatch)
const readList = bodyReader(ProjectPatchList)

/** Media type of RFC 6902, whose body is the list of operations itself. */
const listType = 'application/json-patch+json'
/** Tries of a patch without `baseVersion` while others change the same draft. */
const triesMax = 10

/** `place`: pointer to the list of operations in the body. */
type Asked = ProjectPatch & { readonly place: string }

/** PATCH /api/projects/{id}: a JSON Patch of the payload, in an object or as the body itself. */
export function patchProjectRoute(server: Server, { trustedHosts, sealKeys }: ApiContext): void {
  acceptType(server, listType)
  const problems = { 400: Problem, 404: Problem, 409: Problem, 422: Problem }
  const response = { 200: ProjectView, ...problems }
  const schema = { tags: ['projects'], params: ProjectParams, response }
  const access = { credentials: ['key', 'session'], scope: 'templates' } as const
  const config = { ...access, body: ProjectPatch, otherBodies: { [listType]: ProjectPatchList } }
  server.patch(
    '/api/projects/:id',
    { schema, config },
    async ({ db, account, params, body, headers }) => {
      const { accountId, limits } = account
      const isList = /^application\/json-patch\+json\b/i.test(headers['content-type'] ?? '')
      const asked: Asked = isList
        ? { patch: readList(body), place: '' }
        : { ...readPatch(body), place: '/patch' }
      const owned = { accountId, projectId: params.id, sealKeys }
      const project = await patchProject(db, owned, asked)
      return showProject(project, { limits, trustedHosts })
    },
  )
}

/** Applies a patch to the draft as it is when the change is written. */
async function patchProject(
  db: Db,
  owned: ProjectOf,
  { patch, baseVersion, place }: Asked,
): Promise<Project> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const before = await getProject(db, owned)
    if (!before) throw projectNotFound(owned.projectId)
    if (baseVersion !== undefined && before.version !== baseVersion) {
      throw staleVersion(baseVersion, before.version)
    }
    const payload = applied(before.payload, { patch, place })
    const change = { payload, baseVersion: before.version }
    const project = await changeProject(db, { ...owned, change })
    if (project) return project
  }
  const rule = 'A patch must find the project unchanged while it is written.'
  throw new FarmError('conflict', `${rule} It changed ${triesMax} times; try again`)
}

/** @throws FarmError that names the operation at fault */
function applied(payload: Project['payload'], { patch, place }: Asked) {
  const report = makeReport('invalid_value', 'invalid_value')
  const result = patched(payload, patch, report)
  if (result && checkBounds(result, report)) {
    const bytes = Buffer.byteLength(JSON.stringify(result))
    if (bytes > maxBodyBytes) {
      report.add('patch', `The payload must be <= ${maxBodyBytes} B. It would become ${bytes} B.`)
    }
  }
  if (result && report.faults.length === 0) return result
  throw toProblem(
    report.faults.map((fault) => ({
      ...{ ...fault, pointer: pointerOf(fault.field).replace(/^\/patch/, place) },
    })),
  )
}
