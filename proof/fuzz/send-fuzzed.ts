import { Agent, request as httpRequest } from 'node:http'
import type { SessionKind } from '#contract/access.ts'
import { openSession } from '#server/accounts/sessions.ts'
import { createTokens } from '#server/accounts/tokens.ts'
import { openServer } from '#server/database/open-server.ts'
import { createKeyring } from '#server/keyring.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import type { CallerName, FuzzedRequest } from './arbitrary-request.ts'

export interface Callers {
  /** Returns a valid token; a new person replaces one whose session a request has ended. */
  getToken(caller: CallerName): Promise<string | undefined>
  /** Call when a token was refused. */
  removeSession(caller: CallerName): void
  /** Ids of existing people, messages and areas. */
  readIds(): Promise<string[]>
  close(): Promise<void>
}

/** Opens sessions directly in the database, since sign-ins are rate limited. */
export async function createCallers(
  databaseUrl: string,
  secrets: { session: string; METRICS_TOKEN: string },
): Promise<Callers> {
  const { db, close } = await openServer({ url: databaseUrl, onConnectionError: () => {} })
  const context = {
    db,
    clock: Date.now,
    tokens: createTokens(createKeyring([secrets.session]), Date.now),
    request: { ip: '127.0.0.1', userAgent: null },
  }
  const tokens = new Map<CallerName, Promise<string>>()
  let made = 0

  async function open(caller: CallerName): Promise<string> {
    const profile = {
      email: `fuzz${++made}.${process.pid}@grupopatio.com.br`,
      approved: caller !== 'pending',
      types: ['Vendas'],
      marcas: ['FIAT'],
      estados: ['RJ'],
    }
    const row = await db.insertInto('profiles').values(profile).returningAll().executeTakeFirstOrThrow()
    if (caller === 'admin')
      await db.insertInto('user_roles').values({ user_id: row.user_id, role: 'admin' }).execute()
    const kind: SessionKind = caller === 'recovery' || caller === 'forcedChange' ? caller : 'full'
    return (await openSession(context, { profile: presentProfile(row), kind, by: 'password' })).access_token
  }
  return {
    async getToken(caller) {
      if (caller === 'visitor') return undefined
      if (caller === 'operator') return secrets.METRICS_TOKEN
      if (caller === 'garbage') return 'x'.repeat(120)
      const known = tokens.get(caller) ?? open(caller)
      tokens.set(caller, known)
      return known
    },
    removeSession: (caller) => void tokens.delete(caller),
    async readIds() {
      const people = await db
        .selectFrom('profiles')
        .select('user_id as id')
        .where('email', 'not like', 'fuzz%')
        .orderBy('email')
        .limit(30)
        .execute()
      const messages = await db
        .selectFrom('support_messages')
        .select('id')
        .orderBy('created_at')
        .limit(10)
        .execute()
      return [...people, ...messages].map(({ id }) => id)
    },
    close,
  }
}

interface Sent {
  /** 0 when no reply came. */
  status: number
  ms: number
  text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends one request as its caller and reads the reply; of a stream only its start. */
export async function sendFuzzed(
  portalUrl: string,
  request: FuzzedRequest,
  callers: Callers,
  maxMs: number,
): Promise<Sent> {
  const token = await callers.getToken(request.caller)
  const sent = await sendOnce(portalUrl, request, token, maxMs)
  if (sent.status === 401) callers.removeSession(request.caller)
  return sent
}

function sendOnce(
  portalUrl: string,
  { method, path, headers, body }: FuzzedRequest,
  token: string | undefined,
  maxMs: number,
): Promise<Sent> {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const end = (status: number, text: string) => resolve({ status, ms: performance.now() - startedAt, text })
    const sent = httpRequest(`${portalUrl}${path}`, {
      method,
      agent,
      timeout: maxMs,
      headers: {
        ...headers,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(bytes && { 'content-length': bytes.length }),
      },
    })
    sent.on('response', (reply) => {
      let text = ''
      if (reply.headers['content-type']?.startsWith('text/event-stream')) {
        end(reply.statusCode ?? 0, '')
        return void sent.destroy()
      }
      reply.on('data', (chunk: Buffer) => {
        if (text.length < 2_000) text += chunk.toString()
      })
      reply.on('end', () => end(reply.statusCode ?? 0, text))
      reply.on('error', (error) => end(0, String(error)))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${maxMs} ms`)))
    sent.on('error', (error) => end(0, String(error)))
    sent.end(bytes)
  })
}
