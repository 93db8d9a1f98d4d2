type Fault = {
  readonly error: string
  readonly error_description?: string
  readonly detail?: string | undefined
}

/** Shows a person why an app cannot be connected, and what helps. */
export function pageOf(
  fault: Fault,
  { requestId, styles }: { requestId: string; styles: string },
): string {
  const { error, error_description: description, detail } = fault
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The app cannot be connected</title>
<link rel="stylesheet" href="${escaped(styles)}">
<main>
<h1>The app cannot be connected</h1>
<p>${escaped(helpFor(error))}</p>
<dl>
<dt>Reason</dt><dd>${escaped(detail ?? description ?? error)} (${escaped(error)})</dd>
<dt>Request</dt><dd><code>${escaped(requestId)}</code></dd>
</dl>
</main>
</html>
`
}

function helpFor(error: string): string {
  switch (error) {
    case 'invalid_client':
      return 'This farm does not know the app, or has forgotten it. Remove the connection in the app and add it again.'
    case 'invalid_redirect_uri':
      return 'The app wants its answer at an address that it has not registered. Remove the connection in the app and add it again.'
    case 'session_not_found':
      return 'This sign-in has ended, or began in another browser. Start again from the app.'
    default:
      return 'The app sent a request that this farm does not take. Start again from the app, or report this to its makers.'
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
