// The consent page of the authorization server. The person's token stays in this module's memory.

const uid = location.pathname.split('/').pop() ?? ''
const base = location.pathname.slice(0, location.pathname.indexOf('/oauth/consent/'))
const interaction = `${base}/api/oauth/interactions/${encodeURIComponent(uid)}`

let token = ''

const part = (id) => document.getElementById(id)
const [signInForm, consentForm] = [part('sign-in'), part('consent')]

async function call(path, { body, isSignedIn = false } = {}) {
  const reply = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    credentials: 'same-origin',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(isSignedIn && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await reply.json()
  if (!reply.ok) throw Object.assign(new Error(answer.message), { status: reply.status })
  return answer
}

function showFault(message) {
  part('fault').textContent = message.replace(/[^.]$/, '$&.')
  part('fault').hidden = message === ''
}

function showStatus(message) {
  part('status').textContent = message
  part('status').hidden = message === ''
}

/** Runs the work of a form once at a time, and shows what it fails with. */
async function run(form, work) {
  const controls = [...form.querySelectorAll('button, input')]
  const focused = document.activeElement
  showFault('')
  for (const control of controls) control.disabled = true
  try {
    await work()
  } catch (error) {
    const next =
      form === signInForm && error.status === 401 ? '. Check both and sign in again.' : ''
    const said = `${error.message}${next}`
    showFault(error.status === undefined ? 'The farm cannot be reached. Try again.' : said)
    if (error.status === 404) return showEnd()
  }
  for (const control of controls) control.disabled = false
  // A disabled control loses the focus, and the keyboard its place.
  if (document.activeElement === document.body) focused?.focus()
}

function showEnd() {
  for (const each of [signInForm, consentForm]) each.hidden = true
}

function showClient({ client, scope, redirectUri, isOwnComputer }) {
  part('client-name').textContent = client.name
  part('client-proof').textContent = client.document
    ? `The farm has not verified this name. It comes from ${client.document}`
    : 'The app chose this name itself; the farm has not verified it.'
  part('scope').textContent = scope
  part('redirect-uri').textContent = redirectUri
  part('own-computer').hidden = !isOwnComputer
  part('client').hidden = false
  document.title = `Connect ${client.name}`
}

function fillConsent({ profiles, defaults }) {
  part('profiles').replaceChildren(...profiles.map((profile) => choiceOf(profile, defaults)))
  part('render-cap').value = defaults.renderCap
  part('total-cap').value = defaults.totalCap ?? ''
  part('bulk-cap').value = defaults.bulkCap
}

function showCaps() {
  const isNeeded = new FormData(consentForm).get('profile') !== 'readonly'
  part('caps').hidden = !isNeeded
  part('caps').disabled = !isNeeded
}

function choiceOf({ name, text }, defaults) {
  const label = document.createElement('label')
  label.className = 'choice'
  const input = document.createElement('input')
  Object.assign(input, { type: 'radio', name: 'profile', value: name })
  input.defaultChecked = name === defaults.profile
  const title = document.createElement('strong')
  title.textContent = `${name[0].toUpperCase()}${name.slice(1)}`
  const about = document.createElement('span')
  about.className = 'note'
  about.textContent = text
  label.append(input, title, about)
  return label
}

function askForSignIn() {
  token = ''
  consentForm.hidden = true
  signInForm.hidden = false
  part('email').focus()
}

async function signIn() {
  const body = { email: part('email').value.trim(), password: part('password').value }
  const { accessToken } = await call(`${base}/api/auth/sign-in`, { body })
  token = accessToken
  part('password').value = ''
  const { user, credits } = await call(`${base}/api/user/profile`, { isSignedIn: true })
  part('account').textContent = user.email
  const available = credits.balance - credits.reserved
  part('credits').textContent = `${available} ${available === 1 ? 'credit' : 'credits'}`
  signInForm.hidden = true
  consentForm.hidden = false
  part('title').focus()
}

/** Reads the form at once: a control that is disabled while the farm works is left out of it. */
function answer(allow) {
  const form = new FormData(consentForm)
  const caps = ['renderCap', 'totalCap', 'bulkCap'].filter((name) => form.has(name))
  const allowance = {
    profile: form.get('profile'),
    ...Object.fromEntries(
      caps.map((name) => [name, form.get(name) === '' ? null : Number(form.get(name))]),
    ),
  }
  return async () => {
    try {
      const body = { allow, ...(allow && allowance) }
      const { redirectTo } = await call(interaction, { body, isSignedIn: true })
      showEnd()
      showStatus(
        allow ? 'Connected. You may close this page.' : 'Refused. You may close this page.',
      )
      location.assign(redirectTo)
    } catch (error) {
      if (error.status !== 401) throw error
      askForSignIn()
      showFault('Your sign-in has expired. Sign in again.')
    }
  }
}

part('profiles').addEventListener('change', showCaps)
signInForm.addEventListener('submit', (event) => {
  event.preventDefault()
  run(signInForm, signIn)
})
consentForm.addEventListener('submit', (event) => {
  event.preventDefault()
  run(consentForm, answer(true))
})
part('refuse').addEventListener('click', () => run(consentForm, answer(false)))
part('other-account').addEventListener('click', askForSignIn)

try {
  const view = await call(interaction)
  showClient(view)
  fillConsent(view)
  showStatus('')
  askForSignIn()
} catch (error) {
  showStatus('')
  showFault(
    error.status === undefined ? 'The farm cannot be reached. Reload the page.' : error.message,
  )
}
