// The rooms of docs/ARCHITECTURE.md and who may import whom. A room may import itself, what is
// listed for it, npm packages and Node; core/ may not even import those.

const rooms =
  'agent|api|bench|cli|client|core|dashboard|examples|infra|operator|proto|runtime|scheduler|store|test|worker|workflows'

/** `room` imports nothing of ours but itself and `allowed` (regular expressions of paths). */
const room = (name, { from = `^${name}/`, allowed, comment }) => ({
  name: `${name}-stays-in-its-room`,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: `^(${rooms})/`, pathNot: [from, ...allowed] },
})

/** The folder is like a package: others import its index.ts only; its own tests see inside. */
const door = (folder) => ({
  name: `${folder.replaceAll('/', '-')}-has-one-door`,
  severity: 'error',
  comment: `${folder}/README.md describes the folder; import its index.ts.`,
  from: { pathNot: [`^${folder}/`, `^test/${folder}/`] },
  to: { path: `^${folder}/`, pathNot: `^${folder}/index[.]ts$` },
})

/** The sandboxed code; the rest of workflows/ is the process that runs it and its activities. */
const isWorkflowCode = '^workflows/(definitions/|contract[.]ts$)'

module.exports = {
  forbidden: [
    {
      name: 'core-is-pure',
      severity: 'error',
      comment: 'core/ has no I/O, no clock, no random: a schema library and pure parsers.',
      from: { path: '^core/' },
      to: {
        pathNot: [
          '^core/',
          '^node_modules/(typebox|parse5|css-tree|csv-parse|acorn|ipaddr[.]js|rfc6902)/',
        ],
      },
    },
    {
      name: 'visuals-stay-below-their-readers',
      severity: 'error',
      comment: 'core/visuals is what a visual type is; lints, captions, plans and prices ask it.',
      from: { path: '^core/visuals/' },
      to: { path: '^core/(captions|jobs|library|plan|project/lint)/' },
    },
    {
      name: 'client-needs-nothing',
      severity: 'error',
      comment: 'client/ is copied or installed by itself, and works in browsers: not even Node.',
      from: { path: '^client/' },
      to: { pathNot: ['^client/'] },
    },
    room('runtime', { allowed: ['^core/'], comment: 'runtime/ knows of no service.' }),
    room('store', {
      allowed: ['^core/', '^runtime/'],
      comment: 'store/ is used by services and knows none.',
    }),
    room('operator', {
      allowed: ['^core/', '^runtime/', '^store/'],
      comment: 'operator/ is what operators see and do; api/ serves it and cli/ runs it.',
    }),
    room('agent', {
      allowed: ['^client/'],
      comment:
        'agent/ is what any program with the client can do; it becomes a package of its own.',
    }),
    room('api', {
      allowed: [
        '^core/',
        '^runtime/',
        '^store/',
        '^operator/',
        '^agent/',
        '^client/',
        '^workflows/contract[.]ts$',
      ],
      comment: 'api/ starts workflows through their contract only.',
    }),
    room('dashboard', {
      allowed: ['^core/', '^client/'],
      comment: 'dashboard/ runs in browsers: it has the client, the pure rules, and nothing else.',
    }),
    room('scheduler', {
      allowed: ['^core/', '^runtime/', '^store/', '^proto/'],
      comment: 'scheduler/ speaks to nodes over the wire only.',
    }),
    room('worker', {
      // The cache: where the set-up put its programs.
      allowed: ['^core/', '^runtime/', '^store/objects/', '^proto/', '^infra/setup/cache[.]mjs$'],
      comment: 'A node has no database: a compromised one must find nothing.',
    }),
    room('workflows', {
      allowed: ['^core/', '^runtime/', '^store/'],
      comment: 'workflows/ knows neither api nor scheduler nor worker.',
    }),
    {
      name: 'workflow-code-is-deterministic',
      severity: 'error',
      comment: 'Workflow code is replayed: core/, the Temporal SDK, activities as types only.',
      from: { path: isWorkflowCode },
      to: {
        pathNot: [isWorkflowCode, '^core/', '^node_modules/@temporalio/(workflow|common)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    room('cli', {
      allowed: [
        ...['^core/', '^runtime/', '^store/', '^proto/', '^client/', '^infra/(local|setup)/'],
        ...['^agent/', '^api/', '^operator/', '^scheduler/', '^worker/', '^workflows/'],
      ],
      comment: 'cli/ starts every role, and none of them knows it.',
    }),
    {
      name: 'proto-knows-nobody',
      severity: 'error',
      comment: 'The wire contract stands alone.',
      from: { path: '^proto/' },
      to: { path: `^(${rooms})/`, pathNot: '^proto/' },
    },
    door('worker/png'),
    door('worker/still-frames'),
    {
      name: 'fluent-ffmpeg-is-in-one-file',
      severity: 'error',
      comment: 'The package is no longer kept up: one file holds it, so that it can be replaced.',
      from: { pathNot: '^worker/process/fluent[.]ts$' },
      to: { path: '^node_modules/fluent-ffmpeg/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      comment: 'A circle is one thing in several files, or two that know too much of each other.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      comment: 'An import that leads nowhere fails only when it is run.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-packages-in-the-product',
      severity: 'error',
      comment: 'What a production install leaves out must not be needed by it.',
      from: {
        path: '^(core|runtime|store|operator|agent|api|workflows|scheduler|worker|cli|infra/local)/',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|[.]farm)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
