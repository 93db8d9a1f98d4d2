/**
 * Kinds of ledger entries. `grant`: credits come in. `correction`: an operator changed the balance.
 * `hold`: set aside when a job is submitted. `top_up`: added to the hold, once probed media decide
 * the film's length. `capture`: the final cost. `release`: the rest.
 */
export const creditKinds = ['grant', 'correction', 'hold', 'top_up', 'capture', 'release'] as const
export type CreditKind = (typeof creditKinds)[number]
