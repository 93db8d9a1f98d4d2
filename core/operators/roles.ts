/**
 * Roles of operators, each with the rights of those before it. `viewer`: reads the farm, but no
 * customer's request or output. `operator`: changes the fleet and jobs. `admin`: changes accounts, their
 * money and other operators.
 */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const
export type OperatorRole = (typeof operatorRoles)[number]

/** Answers whether a role has the rights of another one. */
export function roleIncludes(role: OperatorRole, needed: OperatorRole): boolean {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed)
}
