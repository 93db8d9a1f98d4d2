/**
 * What can stand in the ledger. `grant`: credits come in. `hold`: set aside when a job is submitted.
 * `capture`: what it cost in the end. `release`: what it did not.
 */
export const creditKinds = ['grant', 'hold', 'capture', 'release'] as const
export type CreditKind = (typeof creditKinds)[number]
