import type { ActOptions, Body, Caller, CallOptions, Reply } from './caller.ts'

export type UserSession = Reply<'GET /api/auth/sessions'>['sessions'][number]
export type PasswordChange = Body<'POST /api/auth/password'>

/** Methods for the sessions of a signed-in user. They take a user's token (`accessToken`), not a key. */
export function sessionMethods({ ask, act }: Caller) {
  return {
    /** Lists the user's open sessions, the one used last first. */
    async list(options: CallOptions = {}): Promise<readonly UserSession[]> {
      return (await ask('GET /api/auth/sessions', options)).sessions
    },

    /** Ends one session at once. */
    async end(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/auth/sessions/{id}', { ...options, id })
    },

    /** Ends all sessions but that of the token. @returns their number */
    async endOthers(options: CallOptions = {}): Promise<number> {
      return (await ask('DELETE /api/auth/sessions', options)).ended
    },

    /** Changes the password; all other sessions end, and the user's agents are disconnected. */
    async changePassword(change: PasswordChange, options: ActOptions = {}): Promise<void> {
      await act('POST /api/auth/password', { ...options, body: change })
    },
  }
}
