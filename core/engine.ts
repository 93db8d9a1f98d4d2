/**
 * Version that is part of every fingerprint. Raise it whenever the same plan would give other
 * pixels or other bytes than before; every segment is then rendered again.
 */
export const engineVersion = '13'
