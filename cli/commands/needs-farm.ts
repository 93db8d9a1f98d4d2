/** Help of commands that work on the database, or by the operators' API (cli/operators/remote.ts). */
export const needsFarm = '(needs DATABASE_URL, or a sign-in at FARM_URL)'
