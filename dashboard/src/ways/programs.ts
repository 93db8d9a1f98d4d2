/** Program to copy: it renders a still and prints where that is. */
export type Program = {
  readonly language: string
  /** Says where to put it, or how to run it. */
  readonly use: string
  readonly text: string
}

const payload = {
  ...{ type: 'image', width: 640, height: 360, backgroundColor: '#0f766e' },
  visuals: [
    {
      ...{ type: 'TEXT', text: 'Hello from a program', position: 'center-center' },
      style: { fontFamily: 'Inter', fontSize: '48px', color: '#ffffff' },
    },
  ],
}
/** The project has neither quotes of a shell nor words that Python would write in another way. */
const json = JSON.stringify(payload)

/** Returns the same program in three languages; none needs a package. */
export function programsFor(url: string, apiKey: string): readonly Program[] {
  return [
    {
      language: 'curl',
      use: 'Paste it into a shell: it follows the job until its end.',
      text: `FARM=${url}
KEY=${apiKey}
JOB=$(curl -sS "$FARM/api/render/api-key" -H "X-Api-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"payload":${json}}' | sed -n 's/.*"jobId":"\\([^"]*\\)".*/\\1/p')
curl -sSN "$FARM/api/jobs/$JOB/events" -H "X-Api-Key: $KEY"
`,
    },
    {
      language: 'TypeScript',
      use: 'Save it as film.mts and run node film.mts, with Node 22.18 or newer.',
      text: `const farm = '${url}'
const headers = { 'X-Api-Key': '${apiKey}', 'Content-Type': 'application/json' }
const payload = ${json}

const body = JSON.stringify({ payload })
const reply = await fetch(\`\${farm}/api/render/api-key\`, { method: 'POST', headers, body })
if (!reply.ok) throw new Error(await reply.text())
const { jobId } = (await reply.json()) as { jobId: string }

type Job = { state: string; url: string | null; failedReason: string | null }
let job: Job
do {
  const answer = await fetch(\`\${farm}/api/jobs/\${jobId}\`, { headers })
  if (!answer.ok) throw new Error(await answer.text())
  job = (await answer.json()) as Job
} while (!['completed', 'failed', 'cancelled'].includes(job.state))
console.log(job.url ?? job.failedReason ?? job.state)
`,
    },
    {
      language: 'Python',
      use: 'Save it as film.py and run python3 film.py.',
      text: `import json
from urllib.request import Request, urlopen

FARM = "${url}"
HEADERS = {"X-Api-Key": "${apiKey}", "Content-Type": "application/json"}
PAYLOAD = ${json}

def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(FARM + path, data, HEADERS)) as reply:
        return json.load(reply)

job_id = ask("/api/render/api-key", {"payload": PAYLOAD})["jobId"]
while True:
    job = ask(f"/api/jobs/{job_id}")
    if job["state"] in ("completed", "failed", "cancelled"):
        break
print(job["url"] or job["failedReason"] or job["state"])
`,
    },
  ]
}
