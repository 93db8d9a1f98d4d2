import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { parseAllDocuments } from 'yaml'
import { findProgram } from '../../infra/setup/cache.mjs'
import { kubernetesValidate } from '../../infra/setup/charts.mjs'
import type { Env } from '../../runtime/env.ts'
import { readConfig as readSchedulerConfig } from '../../scheduler/config.ts'
import { audience } from '../../scheduler/enrolment/pod-token.ts'
import { readEnrolment as readWorkerEnrolment } from '../../worker/enrolment/settings.ts'
import { chart, installations, refused } from './chart-values.ts'

// The chart as Helm renders it. `npm run test:chart` brings Helm and Kubernetes' schemas.

const helm = findProgram('helm')
const python = kubernetesValidate.python()
if (helm === undefined) console.log('the chart is not rendered: helm is neither on PATH nor cached')
const withHelm = helm !== undefined ? test : test.skip
const withSchemas = helm !== undefined && existsSync(python) ? test : test.skip
/** Minor versions of Kubernetes that the chart promises to fit. */
const minors = ['1.34.0', '1.35.0', '1.36.0', '1.37.0']

const folder = mkdtempSync(join(tmpdir(), 'farm-test-chart-'))
test.after.always(() => rmSync(folder, { recursive: true }))

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<
  string,
  // biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
  any
>

function run(...args: readonly string[]) {
  const env = { ...process.env, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder }
  return spawnSync(String(helm), args, { encoding: 'utf8', env })
}

const valuesFile = (name: string) => ['--values', `${chart}/ci/${name}.yaml`]

/** Renders an installation; `sets`: values laid over it. */
function render(name: string, ...sets: readonly string[]) {
  const more = sets.flatMap((set) => ['--set', set])
  return run('template', 'films', chart, '--namespace', 'farm', ...valuesFile(name), ...more)
}

function manifestsOf(name: string): Manifest[] {
  const { status, stdout, stderr } = render(name)
  if (status !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
}

/** Specifications of all pods of an installation, with the name of what makes them. */
function podsOf(name: string) {
  return manifestsOf(name).flatMap(({ kind, metadata, spec }) => {
    if (kind === 'Pod') return [{ name: metadata.name, pod: spec, spec: undefined }]
    return spec?.template ? [{ name: metadata.name, pod: spec.template.spec, spec }] : []
  })
}

withHelm('helm lint finds nothing in any installation', (t) => {
  for (const name of installations) {
    const { status, stdout } = run('lint', '--strict', chart, ...valuesFile(name))
    t.is(status, 0, `${name}: ${stdout}`)
  }
})

withSchemas("every manifest fits four minors' schemas of Kubernetes", (t) => {
  for (const name of installations) {
    const known = manifestsOf(name).filter(({ apiVersion }) => !/^monitoring[.]/.test(apiVersion))
    t.true(known.length > 5)
    const file = join(folder, `${name}.yaml`)
    writeFileSync(file, known.map((manifest) => JSON.stringify(manifest)).join('\n---\n'))
    for (const minor of minors) {
      const args = ['-m', 'kubernetes_validate', '--strict', '--kubernetes-version', minor, file]
      const { status, stdout, stderr } = spawnSync(python, args, { encoding: 'utf8' })
      t.is(status, 0, `${name}, ${minor}: ${stdout}${stderr}`)
    }
  }
})

withHelm('Helm refuses nonsense values and names their place', (t) => {
  for (const { at, set } of refused) {
    const { status, stderr } = render('minimal', set)
    t.is(status, 1, set)
    t.true(stderr.includes(`/${at}'`) || stderr.includes(at.replaceAll('/', '.')), stderr)
  }
})

withHelm('values that contradict each other are refused with a sentence', (t) => {
  const cases: [string, string, RegExp][] = [
    ['minimal', 'databaseConnections=50', /databaseConnections must be at least 112: .* Got 50/],
    ['minimal', 'scheduler.plainText=false', /scheduler.tlsSecret must name certificates, or/],
    [
      'minimal',
      'networkPolicies.store=null',
      /networkPolicies.store must say where the object store/,
    ],
    ['usual', 'pools[1].name=ingest', /pools must have names of their own. Got ingest twice/],
    [
      'usual',
      'workers.userNamespaces=false',
      /pools.render.customCode needs workers.userNamespaces/,
    ],
    ['certificates', 'pools[0].replicas=2', /pools.blue-1.replicas must be 1 with tlsSecret/],
    ['minimal', 'scheduler.tlsSecret=tls', /pools.cpu.tlsSecret must be set: the scheduler asks/],
    [
      'enrolment',
      'scheduler.tlsSecret=,scheduler.plainText=true',
      /scheduler.enrolment needs scheduler.tlsSecret/,
    ],
    ['enrolment', 'scheduler.enrolment.secret=', /scheduler.enrolment.secret must name the auth/],
    ['enrolment', 'scheduler.enrolment.ca=', /scheduler.enrolment.ca must be the text of certs/],
    ['enrolment', 'scheduler.enrolment.jwks=', /must have one of jwks and jwksUrl/],
    ['enrolment', 'scheduler.enrolment.jwksUrl=https://k/', /must have one of jwks and jwksUrl/],
  ]
  for (const [name, set, sentence] of cases) {
    const { status, stderr } = render(name, set)
    t.is(status, 1, set)
    t.regex(stderr, sentence)
  }
})

withHelm('no pod runs as root, writes its root or keeps a capability', (t) => {
  for (const name of installations) {
    for (const { name: of, pod } of podsOf(name)) {
      const { securityContext: own, containers } = pod
      t.is(pod.automountServiceAccountToken, false, of)
      t.is(pod.enableServiceLinks, false, of)
      t.like(own, { runAsNonRoot: true, runAsUser: 10_001 }, of)
      t.true(['RuntimeDefault', 'Localhost'].includes(own.seccompProfile.type), of)
      for (const { securityContext, resources } of containers) {
        t.like(securityContext, { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
        t.deepEqual(securityContext.capabilities, { drop: ['ALL'] })
        t.is(resources.requests.memory, resources.limits.memory, of)
        // Kubernetes refuses an unmasked /proc without a user namespace.
        if (securityContext.procMount === 'Unmasked') t.is(pod.hostUsers, false, of)
      }
    }
  }
})

withHelm('an outage of the database restarts no pod', (t) => {
  for (const { name, pod, spec } of installations.flatMap(podsOf)) {
    if (spec?.selector === undefined) continue
    for (const { livenessProbe, startupProbe, readinessProbe } of pod.containers) {
      t.is(livenessProbe.httpGet.path, '/healthz', name)
      t.is(startupProbe.httpGet.path, '/healthz', name)
      t.is(readinessProbe.httpGet.path, '/readyz', name)
    }
  }
})

withHelm('a GPU pool is updated in place, and asks for one GPU', (t) => {
  const pool = podsOf('gpu').find(({ name }) => name.endsWith('worker-l4'))
  t.deepEqual(pool?.spec.strategy.rollingUpdate, { maxSurge: 0, maxUnavailable: 1 })
  t.is(pool?.spec.replicas, undefined)
  t.is(pool?.pod.containers[0].resources.limits['nvidia.com/gpu'], 1)
})

type Pod = ReturnType<typeof podsOf>[number]

/** Environment of a role's container, and its files: those that volumes mount get the text of `files`. */
function settingsOf({ pod }: Pod, files: Readonly<Record<string, string>>): Env {
  const given = pod.containers[0].env as { name: string; value?: string }[]
  const mounts = pod.containers[0].volumeMounts as { mountPath: string }[]
  return Object.fromEntries(
    given.flatMap(({ name, value }) => {
      if (value === undefined) return []
      const text = files[value]
      if (text === undefined) return [[name, value]]
      if (!mounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`))) {
        throw new Error(`${value} is in no volume`)
      }
      const file = join(folder, value.replaceAll('/', '-'))
      writeFileSync(file, text)
      return [[name, file]]
    }),
  )
}

const named = (pods: readonly Pod[], end: string) => {
  const found = pods.find(({ name }) => name.endsWith(end))
  if (found === undefined) throw new Error(`no pod is named ${end}`)
  return found
}

withHelm('schedulers read the enrolment that the chart sets', (t) => {
  const scheduler = named(podsOf('enrolment'), '-scheduler')
  const env = settingsOf(scheduler, {
    ...{
      '/etc/farm/tls/ca.crt': 'ca',
      '/etc/farm/tls/tls.crt': 'cert',
      '/etc/farm/tls/tls.key': 'key',
    },
    ...{ '/etc/farm/enrolment/tls.crt': 'enrolled', '/etc/farm/enrolment/tls.key': 'enrolled key' },
  })
  const own = {
    DATABASE_URL: 'postgres://farm@postgres/farm',
    FARM_OBJECTS: 'file:/data/objects',
    FARM_SECRET: 'a secret of the tests',
  }
  const config = readSchedulerConfig({ ...env, ...own })
  t.like(config, {
    nodeToken: undefined,
    scalerAddress: { host: '0.0.0.0', port: 7071 },
    enrolment: {
      address: { host: '0.0.0.0', port: 7072 },
      authority: { cert: 'enrolled', key: 'enrolled key' },
      cluster: {
        issuer: 'https://kubernetes.default.svc.cluster.local',
        jwks: '/etc/farm/cluster/jwks.json',
      },
    },
  })
  t.deepEqual(
    [...(config.enrolment?.cluster?.accounts ?? [])],
    [
      ['farm-workers/films-farm-worker-cpu', 'cpu'],
      ['farm-workers/films-farm-worker-l4', 'gpu'],
    ],
  )
  const keys = manifestsOf('enrolment').find(({ metadata }) => metadata.name.endsWith('-keys'))
  t.deepEqual(keys?.data, { 'jwks.json': '{"keys":[]}' })
  t.like(
    scheduler.pod.volumes.find((each: { name: string }) => each.name === 'cluster'),
    {
      configMap: { name: keys?.metadata.name },
    },
  )
})

withHelm('a pod that enrols shows the token of its own account', (t) => {
  const manifests = manifestsOf('enrolment')
  const services = manifests.filter(({ kind }) => kind === 'Service')
  const ports = services.find(({ metadata }) => metadata.name === 'films-farm-scheduler')?.spec
    .ports
  for (const [pool, farmPool] of [
    ['cpu', undefined],
    ['l4', 'gpu'],
  ] as const) {
    const worker = named(podsOf('enrolment'), `-worker-${pool}`)
    const { serviceAccountName, volumes } = worker.pod
    t.is(serviceAccountName, `films-farm-worker-${pool}`)
    const isAccount = ({ kind, metadata }: Manifest) =>
      kind === 'ServiceAccount' && metadata.name === serviceAccountName
    t.like(manifests.find(isAccount)?.metadata, { namespace: 'farm-workers' })
    const env = settingsOf(worker, { '/var/run/farm/ca.pem': 'ca' })
    t.is(env.FARM_POOL, farmPool)
    const enrolment = readWorkerEnrolment(env, '/data')
    t.deepEqual(enrolment?.token, { file: '/var/run/farm/token' })
    t.is(enrolment?.address, 'films-farm-scheduler.farm.svc:7072')
    t.true(ports.some(({ port }: { port: number }) => port === 7072))
    const { sources } = volumes.find(
      (each: { name: string }) => each.name === 'enrolment',
    ).projected
    t.like(sources[0].serviceAccountToken, { audience, path: 'token' })
    t.true(sources[0].serviceAccountToken.expirationSeconds <= 3600)
    t.false(worker.pod.containers[0].env.some(({ name }: Env) => name === 'FARM_NODE_TOKEN'))
  }
})

withHelm('a pool with a certificate of its own does not enrol', (t) => {
  const { status, stdout } = render('enrolment', 'pools[0].tlsSecret=blue-1', 'pools[0].replicas=1')
  t.is(status, 0)
  t.true(stdout.includes('"farm-workers/films-farm-worker-l4=gpu"'))
  const accounts = parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((each) => each?.kind === 'ServiceAccount')
  t.deepEqual(
    accounts.map((each) => each?.metadata.name),
    ['films-farm-control', 'films-farm-worker', 'films-farm-worker-l4'],
  )
})

withHelm("KEDA's example names what the chart makes", (t) => {
  const [authentication, scaled] = parseAllDocuments(
    readFileSync(`${chart}/examples/keda.yaml`, 'utf8'),
  ).map((document) => document.toJS())
  const manifests = manifestsOf('enrolment')
  const target = manifests.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.name === scaled.spec.scaleTargetRef.name,
  )
  t.is(target?.spec.replicas, undefined, 'KEDA alone sets them')
  t.like(target?.metadata, { namespace: scaled.metadata.namespace })
  const [{ metadata, authenticationRef }] = scaled.spec.triggers
  t.is(authenticationRef.name, authentication.metadata.name)
  const env = settingsOf({ name: '', pod: target?.spec.template.spec, spec: undefined }, {})
  t.is(metadata.pool, env.FARM_POOL)
  t.is(metadata.slots, env.FARM_SLOTS)
  const [host, port] = metadata.scalerAddress.split(':')
  const service = manifests.find(
    (each) => each.kind === 'Service' && `${each.metadata.name}.farm.svc` === host,
  )
  t.true(service?.spec.ports.some((each: { port: number }) => each.port === Number(port)))
})

withHelm('only nodes that fetch media reach the internet', (t) => {
  const labels = Object.fromEntries(
    podsOf('usual').map(({ name, spec }) => [name, spec?.template?.metadata.labels]),
  )
  t.is(labels['films-farm-worker-ingest']['farm-fetches'], 'yes')
  t.is(labels['films-farm-worker-render']['farm-fetches'], 'no')
  const policies = manifestsOf('usual').filter(({ kind }) => kind === 'NetworkPolicy')
  const open = policies.filter(({ spec }) => JSON.stringify(spec).includes('0.0.0.0/0'))
  t.deepEqual(
    open.map(({ spec }) => spec.podSelector.matchLabels['farm-fetches']),
    ['yes'],
  )
  t.true(JSON.stringify(open[0]?.spec).includes('169.254.0.0/16'))
})

withHelm('the migration runs before everything else, the still when asked', (t) => {
  const hooks = manifestsOf('usual').flatMap(({ kind, metadata }) => {
    const { annotations = {} } = metadata as { annotations?: Record<string, string> }
    return annotations['helm.sh/hook'] ? [[kind, annotations['helm.sh/hook']]] : []
  })
  t.deepEqual(hooks.sort(), [
    ['Job', 'pre-install,pre-upgrade'],
    ['Pod', 'test'],
  ])
  t.false(manifestsOf('restricted').some(({ kind }) => kind === 'Job'))
})
