const prefix = 'urn:farm:node:'

/** Name of a node in its certificate: a URI among the subject's alternative names. */
export function nodeUri(nodeId: string): string {
  return `${prefix}${nodeId}`
}

/** Subjects of the farm's authority, and of the one whose certificates enrolled nodes have. */
export const farmAuthority = 'Render farm'
export const enrolmentAuthority = 'Enrolment of the render farm'

/** Name of an autoscaler in its certificate, which reads how large pools should be. */
export const scalerUri = 'urn:farm:scaler'

/** Answers whether a certificate names an autoscaler and nothing else, from its alternative names. */
export function isScaler(subjectAltName: string | undefined): boolean {
  return subjectAltName === `URI:${scalerUri}`
}

/**
 * Returns the node that a certificate names, from its alternative names as Node.js writes them:
 * `URI:urn:farm:node:4a…, DNS:…`. Undefined when it names none, or more than one.
 */
export function nodeIdOf(subjectAltName: string | undefined): string | undefined {
  const names = (subjectAltName ?? '')
    .split(', ')
    .filter((name) => name.startsWith(`URI:${prefix}`))
  return names.length === 1 ? names[0]?.slice(`URI:${prefix}`.length) : undefined
}

/** Start of the tokens of invitations: no token of a pod starts so, for it is a JWT. */
export const invitationPrefix = 'join_'
