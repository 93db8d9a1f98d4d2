/** Makes a fetch that tells how much of the body is sent, which the browser's own cannot. */
export function sendTelling(onProgress: (part: number) => void) {
  return (input: RequestInfo | URL, { method = 'GET', headers, body, signal }: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, String(input))
      request.responseType = 'blob'
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
      request.onload = () => resolve(responseOf(request))
      request.onerror = () => reject(new TypeError('The farm cannot be reached'))
      request.onabort = () => reject(signal?.reason)
      signal?.addEventListener('abort', () => request.abort())
      request.send(body as Blob)
    })
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const at = line.indexOf(':')
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  return new Response(request.response, { status: request.status, headers })
}
