/** Receiver to copy: it answers 204 to what the farm signed, and 400 to anything else. */
export type Receiver = { readonly language: string; readonly use: string; readonly text: string }

/** `secret`: name of the environment variable that holds the secret. */
export const receiversFor = (secret: string): readonly Receiver[] => [
  {
    language: 'TypeScript',
    use: 'Save it as receiver.mts beside the client (npm run client:build, then npm i ./out/client).',
    text: `import { createServer } from 'node:http'
import { verifyWebhook } from 'render-farm-client'

const secret = process.env.${secret} ?? ''

createServer(async (request, response) => {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const webhook = await verifyWebhook({ headers: request.headers, body, secret })
    const { event, jobId } = webhook.read()
    console.log(webhook.deliveryId, event, jobId)
    response.writeHead(204).end()
  } catch (error) {
    console.error(String(error))
    response.writeHead(400).end()
  }
}).listen(Number(process.env.PORT), '127.0.0.1')
`,
  },
  {
    language: 'Python',
    use: 'Save it as receiver.py; it needs no package.',
    text: `import hashlib, hmac, os, re, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["${secret}"].encode()

def is_genuine(headers, body):
    timestamp = headers.get("X-Service-Timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = timestamp.encode() + b"." + body
    expected = "sha256=" + hmac.new(SECRET, signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), headers.get("X-Service-Signature", "").encode())

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine:
            print(self.headers["X-Service-Delivery-Id"], body.decode())
        self.send_response(204 if genuine else 400)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
`,
  },
]
