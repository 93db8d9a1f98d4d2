/** Returns a request as commands that write it to a file and render that. */
export function renderCommand(request: { readonly payload?: unknown }): string {
  const { payload, ...others } = request
  const file = Object.keys(others).length > 0 ? request : payload
  // The quotes keep the shell from reading anything in it; no line of JSON can be the end mark.
  return [
    "cat > project.json <<'END_OF_PROJECT'",
    JSON.stringify(file, null, 2),
    'END_OF_PROJECT',
    'farm render project.json',
  ].join('\n')
}
