import { Agent, request as httpRequest } from 'node:http'
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
  /** Ids of the callers' two factors, then of people and messages. */
  readIds(): Promise<string[]>
  close(): Promise<void>
}

/** Factors of the callers of one step and of both. */
const FACTORS = {
  firstStep: '3e1f9d74-0f5b-4c80-92e3-f4a5b6c7d8e9',
  bothSteps: '4f20ae85-106c-4d91-a3f4-05b6c7d8e9fa',
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
      email_verified_at: new Date(),
      types: ['Vendas'],
      marcas: ['FIAT'],
      estados: ['RJ'],
    }
    const row = await db.insertInto('profiles').values(profile).returningAll().executeTakeFirstOrThrow()
    if (caller === 'admin')
      await db.insertInto('user_roles').values({ user_id: row.user_id, role: 'admin' }).execute()
    if (caller === 'firstStep' || caller === 'bothSteps') await addFactor(row.user_id, FACTORS[caller])
    const kind = caller === 'recovery' || caller === 'forcedChange' ? caller : 'full'
    const opening = { profile: presentProfile(row), kind, isByMailedLink: true } as const
    const by = caller === 'bothSteps' ? 'passkey' : 'password'
    return (await openSession(context, { ...opening, by })).access_token
  }
  /** Takes the factor over from the caller whose session has ended. */
  async function addFactor(userId: string, id: string): Promise<void> {
    const secret = context.tokens.factorSecrets.seal(Buffer.alloc(20))
    const at = new Date()
    const factor = {
      id,
      user_id: userId,
      factor_type: 'totp' as const,
      friendly_name: 'Celular',
      created_at: at,
      verified_at: at,
      secret,
    }
    // Sessions may end and open anew at once.
    await db
      .insertInto('factors')
      .values(factor)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(factor))
      .execute()
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
      return [...Object.values(FACTORS), ...[...people, ...messages].map(({ id }) => id)]
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
