/** A variable of the environment, as docs/configuration.md explains it. */
export type Setting = {
  readonly name: string
  readonly meaning: string
  /** Valid value; it differs from the default, so that the default can be observed. */
  readonly example?: string
  /** Replaces the observed default, where that depends on the machine or on files. */
  readonly fallback?: string
  /** Others that must be set for the example to be read. */
  readonly besides?: Readonly<Record<string, string>>
  /** Readers of a variable that no `readConfig` reads. */
  readonly roles?: readonly string[]
}

export type SettingsGroup = { readonly title: string; readonly settings: readonly Setting[] }

const allRoles = ['api', 'scheduler', 'workflows', 'worker']
const temporalTls = '[TLS to Temporal](deployment.md#tls-and-api-key-to-temporal)'

export const settingsGroups: readonly SettingsGroup[] = [
  {
    title: 'Servers that the farm uses',
    settings: [
      {
        name: 'DATABASE_URL',
        example: 'postgres://farm@127.0.0.1/farm',
        meaning: 'URL of the Postgres database. `migrate` and the operators’ commands need it too.',
      },
      {
        name: 'TEMPORAL_ADDRESS',
        example: '127.0.0.1:7233',
        meaning:
          '`host:port` of Temporal’s server. `farm dev` and `farm render` use it instead of one of their own.',
      },
      {
        name: 'TEMPORAL_NAMESPACE',
        example: 'films',
        meaning: 'Namespace in Temporal.',
      },
      {
        name: 'TEMPORAL_TLS',
        example: 'true',
        fallback: 'on as soon as a setting of TLS or an API key is given',
        meaning: `\`true\` or \`false\`. See ${temporalTls}.`,
      },
      {
        name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
        fallback: 'authorities that the machine trusts',
        meaning:
          'Authority of the server’s certificate: a PEM file. `_DATA` instead of `_PATH`: the PEM text.',
      },
      {
        name: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
        fallback: 'none',
        meaning: 'The same as a PEM text.',
      },
      {
        name: 'TEMPORAL_TLS_SERVER_NAME',
        fallback: 'the host of `TEMPORAL_ADDRESS`',
        meaning: 'Name in the server’s certificate, where it differs from the address.',
      },
      {
        name: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
        fallback: 'none',
        meaning:
          'The farm’s own certificate, for a server that asks for one: a PEM file. It needs the key.',
      },
      {
        name: 'TEMPORAL_TLS_CLIENT_CERT_DATA',
        fallback: 'none',
        meaning: 'The same as a PEM text.',
      },
      {
        name: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
        fallback: 'none',
        meaning: 'Key of that certificate: a PEM file without a passphrase.',
      },
      {
        name: 'TEMPORAL_TLS_CLIENT_KEY_DATA',
        fallback: 'none',
        meaning: 'The same as a PEM text.',
      },
      {
        name: 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION',
        fallback: 'unset',
        meaning: 'Refused when it is on: the farm always checks the server’s certificate.',
      },
      {
        name: 'TEMPORAL_API_KEY',
        fallback: 'none',
        meaning: 'Key sent with each call to Temporal, over TLS unless `TEMPORAL_TLS=false`.',
      },
      {
        name: 'FARM_OBJECTS',
        example: 'file:/srv/objects',
        meaning:
          'Object store: `file:/dir`, or `s3://KEY:SECRET@host:port/bucket?ssl=0&region=…`. Without `KEY:SECRET@` ' +
          'the credentials come from [the environment](deployment.md#the-object-store).',
      },
      {
        name: 'FARM_OBJECTS_PUBLIC',
        example: 'https://files.example.com',
        besides: { FARM_OBJECTS: 's3://KEY:SECRET@127.0.0.1:9000/farm' },
        meaning:
          '`https://host[:port]` where customers reach the bucket, when nodes use another address.',
      },
      {
        name: 'AWS_ACCESS_KEY_ID',
        fallback: 'none',
        besides: { FARM_OBJECTS: 's3://127.0.0.1/farm' },
        meaning:
          'Credentials of a bucket without `KEY:SECRET@`; it needs `AWS_SECRET_ACCESS_KEY`. ' +
          '[Others of AWS’s SDKs](deployment.md#the-object-store) work too.',
      },
      {
        name: 'AWS_SECRET_ACCESS_KEY',
        fallback: 'none',
        besides: { FARM_OBJECTS: 's3://127.0.0.1/farm' },
        meaning: 'Secret of that key.',
      },
    ],
  },
  {
    title: 'Secrets and addresses',
    settings: [
      {
        name: 'FARM_SECRET',
        example: 'a-secret-of-16-or-more',
        meaning:
          'Signs object URLs of the directory store, and dashboard tokens: at least 16 characters, the same for all roles.',
      },
      {
        name: 'FARM_SEAL_KEYS',
        fallback: 'one key, derived from `FARM_SECRET`',
        meaning:
          '`id:secret` list, the newest first, that seals webhook secrets, drafts and quotes. Each secret has at least 32 characters.',
      },
      {
        name: 'FARM_PUBLIC_URL',
        example: 'https://farm.example.com',
        meaning: 'Address at which customers reach the api.',
      },
      {
        name: 'FARM_HOST',
        example: '127.0.0.2',
        meaning: 'Address that the api listens on.',
      },
      {
        name: 'FARM_PORT',
        example: '9999',
        meaning: 'Port that the api listens on; 0 takes any free one.',
      },
      {
        name: 'FARM_RATE_LIMITS',
        example: 'off',
        meaning: '`off` lifts the plans’ requests a minute, as in `farm dev`.',
      },
      {
        name: 'FARM_STRANGER_REQUESTS',
        example: '1',
        meaning: 'Requests a minute that an address may make without a valid credential.',
      },
      {
        name: 'FARM_PREVIEW_WAIT',
        example: '20',
        meaning:
          'Seconds until a request for a preview is answered, painted or not; below the time limit of a proxy before the api.',
      },
      {
        name: 'FARM_TRUSTED_PROXIES',
        example: '10.0.0.0/8',
        meaning:
          'Addresses or ranges of the proxies before the api, whose `X-Forwarded-For` it trusts.',
      },
      {
        name: 'FARM_DASHBOARD',
        example: '/srv/dashboard',
        fallback: '`out/dashboard` of the checkout',
        meaning:
          'Folder of the built dashboard, which the api serves at `/`. Without an `index.html` in it, `/` says how to build one.',
      },
      {
        name: 'FARM_OPERATOR_API',
        example: 'on',
        fallback: '`off`',
        meaning:
          '[Operators’ API and pages](operator-api.md): `off`, `on` at the address of the customers’, or `IP:port` of a listener of their own. `farm dev` has it on.',
      },
      {
        name: 'FARM_OPERATOR_URL',
        example: 'https://operate.example.com',
        fallback: '`FARM_PUBLIC_URL`',
        meaning:
          'Address at which operators reach their own listener, as a proxy with TLS serves it. Without it, `http://` and the address of `FARM_OPERATOR_API`, unless that is `0.0.0.0`, `[::]` or port 0.',
      },
      {
        name: 'FARM_PROMETHEUS',
        example: 'http://user:password@10.0.0.6:9090',
        meaning:
          'Prometheus whose values the operators’ charts show. Without it they show the last hour, which the farm keeps itself.',
      },
      {
        name: 'FARM_ACCESS_LOG',
        example: 'off',
        meaning: '`off` ends the [line for each request](monitoring.md#access-log).',
      },
      {
        name: 'FARM_ACCESS_DAYS',
        example: '90',
        meaning:
          'Days for which operators can [search requests](monitoring.md#search-requests), today included; `0` stores none.',
      },
      {
        name: 'FARM_ACCESS_GB',
        example: '50',
        meaning: 'Most of the database that these requests take, GB; the oldest days go first.',
      },
      {
        name: 'FARM_TRUSTED_HOSTS',
        example: '127.0.0.1:8000',
        meaning:
          '`host:port` list that media and webhooks may name despite the URL rule. For development: production refuses it.',
      },
    ],
  },
  {
    title: 'Agents',
    settings: [
      {
        name: 'FARM_MCP_URL',
        fallback: '`FARM_PUBLIC_URL` and `/mcp`',
        example: 'https://mcp.example.com/mcp',
        meaning:
          'Address of the hosted endpoint for agents, with a path; their tokens are for it alone.',
      },
      {
        name: 'FARM_MCP_ORIGINS',
        fallback: 'none',
        example: 'https://inspector.example.com',
        meaning: 'Origins of web pages that may call that endpoint, separated by commas.',
      },
      {
        name: 'FARM_OAUTH_REGISTRATION',
        fallback: '`on`',
        example: 'off',
        meaning:
          '`off` ends dynamic registration; clients with a metadata document sign in nevertheless.',
      },
      {
        name: 'FARM_OAUTH_ACCESS_S',
        example: '600',
        meaning: 'Seconds for which an agent’s access token is valid.',
      },
      {
        name: 'FARM_OAUTH_REFRESH_DAYS',
        fallback: '`30`',
        example: '7',
        meaning: 'Days after which an agent that was not used must be connected again.',
      },
      {
        name: 'FARM_OAUTH_REFRESH_GRACE_S',
        example: '0',
        meaning:
          'Seconds in which a used refresh token is answered with its successor; 0 ends the connection at any second use.',
      },
    ],
  },
  {
    title: 'Schedulers and nodes',
    settings: [
      {
        name: 'FARM_SCHEDULER_HOST',
        example: '127.0.0.2',
        meaning:
          'IP address that the scheduler listens on. One that others reach needs TLS or `FARM_INSECURE=1`.',
      },
      {
        name: 'FARM_SCHEDULER_PORT',
        example: '9999',
        meaning: 'Port that the scheduler listens on; 0 takes any free one.',
      },
      {
        name: 'FARM_INSECURE',
        fallback: 'unset',
        example: '1',
        besides: { FARM_SCHEDULER_HOST: '0.0.0.0' },
        meaning: '`1` lets the scheduler listen without TLS on an address that others reach.',
      },
      {
        name: 'FARM_SCALER_ADDRESS',
        example: '127.0.0.1:7071',
        meaning:
          '`IP:port` at which the scheduler serves [KEDA](deployment.md#pools-that-follow-the-work). One that others reach needs TLS or `FARM_INSECURE=1`.',
      },
      {
        name: 'FARM_SCHEDULER_ADDRESS',
        example: '127.0.0.1:7070',
        meaning:
          'Schedulers that a node calls: `host:port`, a comma-separated list, or `dns:///name:port`.',
      },
      {
        name: 'FARM_ENROLMENT_ADDRESS',
        fallback: 'none',
        meaning:
          '`IP:port` at which the scheduler [enrols nodes](deployment.md#nodes-that-enrol-by-themselves). It needs TLS.',
      },
      {
        name: 'FARM_ENROLMENT_CA_CERT',
        fallback: 'none',
        meaning:
          'Authority of enrolled nodes, for every scheduler: a PEM file (`farm certs enrolment`).',
      },
      {
        name: 'FARM_ENROLMENT_CA_KEY',
        fallback: 'none',
        meaning: 'Key of that authority, for schedulers that enrol nodes: a PEM file.',
      },
      {
        name: 'FARM_ENROLMENT_ISSUER',
        fallback: 'only invitations',
        meaning: 'Claim `iss` of the cluster’s service account tokens. It needs the next two.',
      },
      {
        name: 'FARM_ENROLMENT_JWKS',
        fallback: 'only invitations',
        meaning:
          'Keys of the cluster: an https URL of its JWKS, or the path of a file that holds it.',
      },
      {
        name: 'FARM_ENROLMENT_ACCOUNTS',
        fallback: 'only invitations',
        meaning: 'Pools of service accounts: `namespace/account=pool`, as a list.',
      },
      {
        name: 'FARM_ENROL_AT',
        fallback: 'none',
        meaning:
          '`host:port` where the node gets a certificate. It needs `FARM_TLS_CA` and a token.',
      },
      {
        name: 'FARM_ENROL_TOKEN',
        fallback: 'none',
        meaning: 'Token of an invitation (`farm nodes invite`), for the first start of a machine.',
      },
      {
        name: 'FARM_ENROL_TOKEN_FILE',
        fallback: 'none',
        meaning: 'Path of the pod’s projected service account token (audience `farm-scheduler`).',
      },
      {
        name: 'FARM_NODE_TOKEN',
        example: 'a-token-of-16-or-more',
        meaning:
          'Token that nodes show: without TLS one for all, with TLS one for each certificate.',
      },
      {
        name: 'FARM_TLS_CA',
        fallback: 'plain text',
        meaning:
          'Authority of the other side: a PEM file that `farm certs` made. It needs the next two.',
      },
      { name: 'FARM_TLS_CERT', fallback: 'plain text', meaning: 'Own certificate: a PEM file.' },
      {
        name: 'FARM_TLS_KEY',
        fallback: 'plain text',
        meaning: 'Key of that certificate: a PEM file.',
      },
      {
        name: 'FARM_NODE_NAME',
        fallback: 'the host name',
        meaning: 'Name of the node in `farm nodes`.',
      },
      {
        name: 'FARM_NODE_ID',
        fallback: 'kept in `FARM_DATA`, or in the certificate',
        meaning: 'Id of the node, a lowercase UUID.',
      },
      {
        name: 'FARM_DATA',
        fallback: '`.farm/node` in the working folder',
        meaning: 'Folder of this node alone: its id, caches and work folders.',
      },
    ],
  },
  {
    title: 'Work of a node',
    settings: [
      {
        name: 'FARM_SLOTS',
        fallback: 'twice the cores, at most 64',
        meaning: 'Tasks at once. Many are short or wait for something.',
      },
      {
        name: 'FARM_LANES',
        fallback: 'one for each core that the container may use',
        meaning: 'Segments that are painted and encoded at once.',
      },
      {
        name: 'FARM_DRAIN_SECONDS',
        example: '20',
        meaning:
          'Seconds that running tasks get when the node is stopped; the rest is handed back. See [spot machines](deployment.md#spot-machines).',
      },
      {
        name: 'FARM_PROCESSES',
        example: '2',
        meaning: 'Workers that share this machine’s cores, memory and disk, this one included.',
      },
      {
        name: 'FARM_KINDS',
        example: 'ingest',
        fallback: 'all',
        meaning: 'Kinds of tasks that the node takes, as a list.',
      },
      {
        name: 'FARM_POOL',
        example: 'vip',
        fallback: 'the default pool',
        meaning: 'Pool that the node belongs to.',
      },
      { name: 'FARM_TAGS', example: 'vip', meaning: 'Tags of the node, as a list.' },
      {
        name: 'FARM_CANVAS',
        example: 'napi',
        meaning: 'Canvas that paints: `napi` (processor), `skia` (GPU by Vulkan) or `auto`.',
      },
      {
        name: 'FARM_FRAME_SOURCES',
        example: 'painter',
        meaning:
          'Ways to make frames that the node may use, as a list; `painter` is always one. ' +
          'See [a wrong pixel](OPERATIONS.md#a-pixel-is-wrong).',
      },
      {
        name: 'FARM_GPU',
        fallback: 'all that the driver shows',
        meaning: 'The one GPU of this process: its index or UUID from nvidia-smi.',
      },
      {
        name: 'FARM_GPU_DECODING',
        example: 'auto',
        meaning:
          '`auto` lets a GPU decode the clips that it decodes faster, with equal frames (decision 0073).',
      },
      {
        name: 'FARM_ENCODER_SESSIONS',
        example: '3',
        meaning: 'Sessions that the GPU’s encoder allows at once; 0 is no limit.',
      },
      {
        name: 'FARM_SANDBOX',
        fallback: '`auto`; `require` in production',
        meaning:
          'Fence around strangers’ files: `off`, `auto` (where it works) or `require` (refuse to start without).',
      },
      {
        name: 'FARM_FONTS',
        fallback: '`fallback`',
        meaning:
          '`strict` fails a job whose text needs a font or character that no bundled font has.',
      },
      {
        name: 'FARM_FFMPEG',
        roles: ['worker', 'setup'],
        fallback: 'the set-up’s build, else the one on PATH',
        meaning: 'Folder of another `ffmpeg` and `ffprobe`; the same version on all nodes.',
      },
      {
        name: 'FARM_CHROMIUM',
        roles: ['worker'],
        fallback: 'the first one on PATH',
        meaning: 'Path of Chromium.',
      },
    ],
  },
  {
    title: 'Processes',
    settings: [
      {
        name: 'FARM_ENV',
        fallback: 'development',
        besides: { FARM_TRUSTED_HOSTS: '127.0.0.1:8000' },
        meaning: '`production` requires the fence and refuses `FARM_TRUSTED_HOSTS`.',
      },
      {
        name: 'FARM_METRICS_ADDRESS',
        example: '127.0.0.1:9999',
        meaning:
          '`IP:port` of metrics, `/healthz` and `/readyz`; port 0 takes any free one. `control`: three of them.',
      },
      {
        name: 'FARM_HEALTH_ADDRESS',
        example: '127.0.0.1:9999',
        meaning: '`IP:port` of `grpc.health.v1`.',
      },
      {
        name: 'FARM_LOG_LEVEL',
        roles: ['all'],
        fallback: '`info`',
        meaning:
          'Least level that is logged: `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
      },
      {
        name: 'FARM_UMASK',
        roles: allRoles,
        fallback: '`077`',
        meaning: 'Mode mask (octal) of new files. `027` lets a group read them.',
      },
      {
        name: 'FARM_WORKFLOW_BUNDLE',
        example: '/app/workflows.js',
        fallback: 'bundled at the start',
        meaning:
          'File that `farm workflows --bundle FILE` wrote, for a [read-only root](deployment.md#workflows-on-a-read-only-root).',
      },
      {
        name: 'FARM_WORKFLOW_BUILDS',
        example: 'pinned',
        fallback: '`any`',
        meaning:
          '`pinned`: jobs stay with the build of the workflows that began them, see [a new version](deployment.md#a-new-version). `any`: each build drives every job.',
      },
      {
        name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        roles: allRoles,
        fallback: 'no traces',
        meaning:
          'Collector of traces, by OTLP over HTTP. [Traces](monitoring.md#traces) lists the other variables.',
      },
    ],
  },
  {
    title: 'The command line',
    settings: [
      {
        name: 'FARM_URL',
        roles: ['render', 'bulk', 'call', 'agent'],
        fallback: 'a farm of its own; `call` and `agent` need one',
        meaning: 'Address of a running farm.',
      },
      {
        name: 'FARM_API_KEY',
        roles: ['render', 'bulk', 'call', 'agent'],
        fallback: 'required with `FARM_URL`',
        meaning: 'API key for that farm.',
      },
      {
        name: 'FARM_ACCESS_TOKEN',
        roles: ['call'],
        fallback: 'the key',
        meaning: 'Access token of a person’s sign-in, for requests that take no key.',
      },
      {
        name: 'FARM_AGENT_PROFILE',
        roles: ['agent'],
        fallback: '`creator`',
        meaning: 'Tools that an agent gets: `readonly`, `creator`, `automation` or `developer`.',
      },
      {
        name: 'FARM_OPERATOR_TOKEN',
        roles: ['operators’ commands'],
        fallback: 'the sign-in of `farm operators sign-in`',
        meaning:
          'Access token of an operator at `FARM_URL`: the commands then work [by the API](operator-api.md#from-the-command-line).',
      },
      {
        name: 'FARM_OPERATOR',
        roles: ['operators’ commands'],
        fallback: 'the user of the machine',
        meaning: 'Name of the operator in `farm audit`; `--by` overrides it.',
      },
    ],
  },
]
