/**
 * Example bodies of operations, by method and path; the counterpart for signed-in users shares
 * them. Each can be sent as it is, except for ids of the reader's own; a test sends them all.
 */

const card = {
  duration: 4,
  resolution: 'hd',
  backgroundColor: '#101828',
  visuals: [
    {
      type: 'TEXT',
      html: '<b>Welcome, {{ name }}</b>',
      style: { color: '#ffffff', fontFamily: 'Poppins', fontSize: '72px' },
      position: 'center-center',
      enterBegin: 0,
      enterEnd: 0.6,
      enterAnimation: 'slideup',
    },
  ],
  variables: { name: 'Ada' },
}

const still = {
  type: 'image',
  resolution: 'squared',
  backgroundColor: card.backgroundColor,
  visuals: card.visuals.map(({ type, html, style, position }) => ({ type, html, style, position })),
  variables: card.variables,
}

const storedCard = {
  backgroundColor: card.backgroundColor,
  scenes: [{ duration: 4, visuals: card.visuals }],
  variables: card.variables,
}

const render = { payload: card, variables: { name: 'Grace' } }

const bulk = {
  name: 'welcome cards',
  payload: card,
  items: [
    { name: 'ada', variables: { name: 'Ada' } },
    { name: 'grace', variables: { name: 'Grace' } },
  ],
}

export const exampleRequests: Readonly<Record<string, object>> = {
  'POST /api/render/api-key': render,
  'POST /api/render/validate/api-key': render,
  'POST /api/render/preview': { ...render, times: [0.5, 2, 3.5] },
  'POST /api/credits/estimate': render,
  'POST /api/render/image/api-key': { payload: still, variables: { name: 'Grace' } },
  'POST /api/render/bulk/api-key': bulk,
  'POST /api/render/image/bulk/api-key': { ...bulk, payload: still },
  'POST /api/render/bulk/{id}/retry': { states: ['failed', 'cancelled'] },
  'POST /api/jobs/{id}/retry': { overrides: { width: 640 } },
  'POST /api/templates': {
    name: 'welcome card',
    description: 'A title on dark blue',
    payload: storedCard,
  },
  'PUT /api/templates/{id}': { name: 'welcome card 2', payload: storedCard },
  'POST /api/templates/{id}/preview': { variables: { name: 'Grace' } },
  'POST /api/render/creative-plan/api-key': { brief: 'A price list for our café' },
  'POST /api/render/repair/api-key': {
    payload: { ...still, quality: '90', outputFormat: 'JPG', opactiy: 1 },
  },
  'POST /api/projects': { name: 'welcome card', payload: card },
  'PUT /api/projects/{id}': { name: 'welcome card 2' },
  'PATCH /api/projects/{id}': {
    patch: [
      { op: 'replace', path: '/backgroundColor', value: '#ffffff' },
      { op: 'remove', path: '/visuals/0/enterAnimation' },
    ],
  },
  'POST /api/projects/{id}/restore': { version: 1 },
  'POST /api/quotes': render,
  'POST /api/api-keys': {
    name: 'shop',
    scopes: ['render', 'account'],
    spendingCap: 500,
    expiresAt: '2030-01-31T00:00:00Z',
  },
  'PUT /api/api-keys/{id}': { name: 'web shop' },
  'PATCH /api/agent-connections/{id}': { profile: 'readonly', totalCap: 500 },
  'POST /api/auth/sign-in': { email: 'ada@example.com', password: 'correct horse battery staple' },
  'POST /api/auth/refresh': { refreshToken: 'rt_0000000000000000000000000000000000000000000' },
  'POST /api/auth/one-time': { code: '0123456789abcdef0123456789abcdef' },
  'POST /api/auth/password': {
    current: 'correct horse battery staple',
    next: 'another correct horse battery',
  },
  'POST /api/webhooks': {
    url: 'https://hooks.example.com/farm',
    events: ['render.completed', 'render.failed'],
  },
  'PUT /api/webhooks/{id}': { events: ['render.failed'], description: 'Failures only' },
  'POST /api/webhooks/{id}/test': { event: 'render.completed' },
  'POST /api/webhooks/deliveries/redeliver': { since: '2030-01-31T00:00:00Z' },
}
