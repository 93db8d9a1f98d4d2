const address = /https?:\/\/[^\s"\\<>]+/g

/**
 * Returns `host:port` of every web address in a text. A page trusts them all: only the farm knows which
 * private hosts its operator allows, and it judges them again.
 */
export function hostsIn(text: string): readonly string[] {
  const hosts = (text.match(address) ?? []).map((each) => {
    const url = URL.parse(each)
    return url && `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
  })
  return [...new Set(hosts.filter((host) => host !== null))]
}
