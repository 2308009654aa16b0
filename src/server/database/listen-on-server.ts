import pg from 'pg'

const TIMEOUT_MS = 5_000
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5_000
/** How often a connection is tried that may have died without a word. */
const PING_MS = 30_000

export interface ListenOptions {
  url: string
  /** An SQL identifier. */
  channel: string
  onWake: () => void
  /** Hears once of each outage. */
  onError: (error: Error) => void
}

/**
 * Listens on a connection of its own, outside the pool, and comes back whenever it is lost.
 * @returns ends it
 */
export function listenOnServer(options: ListenOptions): () => Promise<void> {
  let current: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  const begin = () => {
    const client = openClient(options)
    current = client
    const lose = (error: Error) => {
      if (client !== current) return
      current = undefined
      clearTimeout(timer)
      client.end().catch(() => {})
      if (failures === 0) options.onError(error)
      timer = setTimeout(begin, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++))
    }
    client.on('error', lose)
    client.on('end', () => lose(new Error('connection ended')))
    startListening(client, options.channel).then(() => {
      if (client !== current) return
      failures = 0
      timer = setInterval(() => client.query('select 1').catch(lose), PING_MS)
      options.onWake()
    }, lose)
  }
  begin()
  return async () => {
    clearTimeout(timer)
    const client = current
    current = undefined
    await client?.end().catch(() => {})
  }
}

function openClient({ url, onWake }: ListenOptions): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
    application_name: 'patio-listen',
  })
  client.on('notification', onWake)
  return client
}

async function startListening(client: pg.Client, channel: string): Promise<void> {
  await client.connect()
  await client.query(`listen ${channel}`)
}
