/**
 * Kinds of ledger entries. `grant`: credits come in. `correction`: an operator
 * changed the balance. `hold`: set aside when a job is submitted. `top_up`: set aside
 * besides, when probed media decided how long its film is. `capture`: its cost in the end. `release`: the rest.
 */
export const creditKinds = ['grant', 'correction', 'hold', 'top_up', 'capture', 'release'] as const
export type CreditKind = (typeof creditKinds)[number]
