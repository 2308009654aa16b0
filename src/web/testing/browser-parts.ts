import { vi } from 'vitest'
import type { Session } from '#contract/accounts.ts'
import type { ManagedProfile } from '#contract/users.ts'

/** Stubs local storage as one browser shares it between its tabs. */
export function installLocalStorage(): Map<string, string> {
  const values = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
    key: (index: number) => [...values.keys()][index] ?? null,
    get length() {
      return values.size
    },
  })
  return values
}

/** Creates a session as the server issues it; its tokens contain the number. */
export function makeSession(number: number, { expiresIn = 600, userId = 'ana' } = {}): Session {
  return {
    access_token: `access-${number}`,
    refresh_token: `refresh-${number}`,
    token_type: 'bearer',
    expires_in: expiresIn,
    expires_at: Math.floor(Date.now() / 1000) + expiresIn,
    user: {
      id: userId,
      aud: 'authenticated',
      role: 'authenticated',
      email: `${userId}@grupopatio.com.br`,
      email_confirmed_at: null,
      last_sign_in_at: null,
      created_at: '2026-01-01T00:00:00Z',
      app_metadata: {
        provider: 'email',
        must_change_password: false,
        second_factor: null,
        second_factor_due: null,
      },
      factors: [],
      user_metadata: { full_name: null },
    },
  }
}

/** Creates a person who awaits approval and has no entitlements, apart from the given fields. */
export function createProfile(rest: Partial<ManagedProfile> = {}): ManagedProfile {
  return {
    id: 'i',
    user_id: 'u',
    email: 'ana@grupopatio.com.br',
    full_name: null,
    approved: false,
    valid_until: null,
    email_verified_at: null,
    created_at: '2026-01-01T00:00:00Z',
    last_sign_in_at: null,
    types: [],
    marcas: [],
    estados: [],
    role: 'user',
    invited_until: null,
    version: 1,
    request: null,
    ...rest,
  }
}

type Answer = Response | Error | (() => Promise<Response> | Response)

/** Stubs fetch; each request gets the next answer. Returns the requests so far. */
export function stubFetch(
  ...answers: Answer[]
): { path: string; authorization: string | null; body: unknown }[] {
  const requests: { path: string; authorization: string | null; body: unknown }[] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    requests.push({ path, authorization: new Headers(init.headers).get('authorization'), body })
    const answer = answers.shift()
    if (!answer) throw new Error(`No answer left for ${path}`)
    if (answer instanceof Error) throw answer
    return typeof answer === 'function' ? answer() : answer
  })
  return requests
}

/** Creates a failed reply with problem JSON. */
export function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ code, detail: `detalhe de ${code}` }, { status, headers })
}

/** Returns a fresh copy of the session modules, as in another tab of the same browser. */
export async function openTab() {
  vi.resetModules()
  const [session, api, apiError, store] = await Promise.all([
    import('#web/session/session.ts'),
    import('#web/http/api.ts'),
    import('#web/http/send-request.ts'),
    import('#web/session/session-store.ts'),
  ])
  const events: string[] = []
  session.onAuthStateChange((event) => events.push(event))
  return { ...session, ...api, ...apiError, ...store, events }
}

/** Waits until messages between tabs have arrived. */
export function waitForMessages(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}
