import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { wait } from '#contract/timing.ts'
import type { AcceptStream } from '#server/http/event-stream.ts'
import { encodeEvent } from '#server/http/event-stream.ts'
import { listDnsCauses } from './check-network.ts'
import { explainError } from './explain-error.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

const FETCH_MS = 10_000
const WITHIN_MS = 25_000
const DAY_MS = 86_400_000
/** Documentation address (RFC 5737): no client has it, so no server may trust it. */
const FORGED_IP = '192.0.2.77'
const STREAM_EVENTS = 4
const STREAM_PAUSE_MS = 250
/** First and last event are 750 ms apart unless a proxy buffers them. */
const BUFFERED_BELOW_MS = 300
/** Of the portal's streams, whose heartbeat comes every 15 s. */
const QUIET_SECONDS = 16

interface Address {
  publicUrl: string
  /** Authorizes the operators' routes. */
  token: string
  /** Run by the portal itself, whose network may not reach its public address. */
  isSelf?: boolean
  /** How long the proxy must keep a quiet stream; the portal itself does not wait for it. */
  quietSeconds?: number | undefined
}

const isLocal = (url: URL) => ['localhost', '127.0.0.1'].includes(url.hostname)

/** Checks the path of a request: DNS, TLS, proxy, portal, and unbuffered streams. */
export function listAddressChecks({ publicUrl, token, isSelf = false, ...rest }: Address): Check[] {
  const { quietSeconds = isSelf ? undefined : QUIET_SECONDS } = rest
  const url = new URL(publicUrl)
  const checks = [
    check('address', `PUBLIC_URL (${publicUrl})`, WITHIN_MS, () => checkReachability(publicUrl)),
    ...(url.protocol === 'https:'
      ? [check('address-tls', `TLS de ${url.host}`, WITHIN_MS, () => checkCertificate(url))]
      : []),
    check('proxy', 'Proxy', WITHIN_MS, () => checkProxy(publicUrl, token)),
    check('stream', 'Avisos ao vivo', WITHIN_MS, () => checkStream(publicUrl, token, quietSeconds)),
  ]
  return checks.map((each) => ({
    ...each,
    // The certificate is read from the server itself, and without a portal.
    causes: [
      ...listDnsCauses(publicUrl),
      ...(each.name === 'address-tls' ? [] : ['corporate-proxy', 'database']),
    ],
    ...(isSelf && { unreachable: 'warning' }),
  }))
}

function fetchAddress(url: string, headers: Record<string, string> = {}, ms = FETCH_MS): Promise<Response> {
  return fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(ms) })
}

async function checkReachability(publicUrl: string): Promise<Result> {
  const reply = await fetchAddress(`${publicUrl}/api/health/ready`)
  const location = reply.headers.get('location')
  if (reply.status >= 300 && reply.status < 400)
    return fault(
      `PUBLIC_URL: redireciona para ${location ? new URL(location, publicUrl).origin : 'outro lugar'}.`,
      'Ponha em PUBLIC_URL o endereço em que as pessoas chegam, sem redirecionamento.',
    )
  const body = await reply.text()
  if (reply.status === 200 && body.includes('"status":"ok"'))
    return good(`PUBLIC_URL: o portal atende em ${publicUrl}.`)
  if (reply.status === 503 && body.includes('database-unavailable'))
    return fault(
      'PUBLIC_URL: o portal atende, mas sem o banco de dados.',
      'Veja a verificação do banco de dados.',
    )
  if (reply.status === 503 && body.includes('shutting-down'))
    return warning('PUBLIC_URL: o portal que atende está sendo encerrado.', 'Rode de novo em instantes.')
  if (reply.status === 502 || reply.status === 503 || reply.status === 504)
    return fault(
      `PUBLIC_URL: o proxy atende, mas não chega ao portal (${reply.status}).`,
      'Confira se o portal está no ar e se o proxy aponta para o HOST e o PORT dele.',
    )
  return fault(
    `PUBLIC_URL: quem atende lá não é o portal (${reply.status}).`,
    'Confira o nome no DNS e o destino no proxy.',
  )
}

function checkCertificate({ hostname, port, host }: URL): Promise<Result> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      ...(isIP(hostname) ? {} : { servername: hostname }),
      // To distinguish an expired certificate from an untrusted one.
      rejectUnauthorized: false,
      timeout: FETCH_MS,
    })
    const end = (found: Result) => {
      socket.destroy()
      resolve(found)
    }
    const fail = (error: unknown) => {
      const { says, todo } = explainError(error)
      end(fault(`TLS de ${host}: ${says}.`, todo))
    }
    socket.once('error', fail)
    socket.once('timeout', () => fail(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    socket.once('secureConnect', () => {
      const { authorizationError } = socket
      if (authorizationError) {
        const code = String((authorizationError as { code?: string }).code ?? authorizationError)
        return fail(Object.assign(new Error(code), { code }))
      }
      const until = Date.parse(socket.getPeerCertificate().valid_to)
      const days = Math.floor((until - Date.now()) / DAY_MS)
      const says = `TLS de ${host}: o certificado vale por mais ${days} dias.`
      end(
        days < 14 ? warning(says, 'Renove-o, ou veja por que a renovação automática não o fez.') : good(says),
      )
    })
  })
}

/** Reads the portal's view of the client IP, with a forged header that only a proxy may set. */
async function checkProxy(publicUrl: string, token: string): Promise<Result> {
  const url = new URL(publicUrl)
  // No proxy in between.
  const isDirect = url.protocol === 'http:' && isLocal(url)
  const reply = await fetchAddress(`${publicUrl}/api/health/caller`, {
    authorization: `Bearer ${token}`,
    ...(!isDirect && { 'x-forwarded-for': FORGED_IP }),
  })
  if (!reply.ok) return describeRefusal('Proxy', reply.status)
  const { ip, forwarded } = (await reply.json()) as { ip: string; forwarded: string }
  if (ip === FORGED_IP)
    return fault(
      'Proxy: o portal acredita em um endereço inventado por quem chega.',
      'Faça o proxy sobrescrever X-Forwarded-For, ou acrescentar a ele, e confie em TRUSTED_PROXIES só nele.',
    )
  if (isDirect) return good(`Proxy: nenhum no caminho; o portal nos vê como ${ip}.`)
  if (forwarded === 'trusted') return good(`Proxy: confiável; o portal nos vê como ${ip}.`)
  return fault(
    `Proxy: o portal vê todos como ${ip}, que é o proxy, e todos dividem os mesmos limites de tentativas.`,
    `Ponha ${ip} em TRUSTED_PROXIES e faça o proxy enviar X-Forwarded-For.`,
  )
}

function describeRefusal(about: string, status: number): Result {
  return status === 401 || status === 403
    ? warning(
        `${about}: o portal que atende lá não nos reconhece.`,
        'Rode a verificação com a mesma configuração (SESSION_SECRET) do portal que atende em PUBLIC_URL, e com o relógio certo.',
      )
    : warning(
        `${about}: não verificado, porque PUBLIC_URL não leva a este portal (${status}).`,
        'Veja a verificação de PUBLIC_URL.',
      )
}

async function checkStream(publicUrl: string, token: string, quietSeconds?: number): Promise<Result> {
  const url = `${publicUrl}/api/health/stream${quietSeconds === undefined ? '' : `?pause=${quietSeconds}`}`
  const reply = await fetchAddress(url, { authorization: `Bearer ${token}` }, WITHIN_MS)
  if (!reply.ok || !reply.body) return describeRefusal('Avisos ao vivo', reply.status)
  const times: number[] = []
  let text = ''
  try {
    for await (const bytes of reply.body) {
      if (times.length < STREAM_EVENTS) times.push(performance.now())
      text += Buffer.from(bytes).toString()
    }
  } catch (error) {
    // Cut in the pause.
    if (times.length < STREAM_EVENTS) throw error
  }
  const lastedMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const count = text.split('data: ').length - 1
  if (count < STREAM_EVENTS || lastedMs < BUFFERED_BELOW_MS)
    return warning(
      'Avisos ao vivo: o proxy os junta e entrega atrasados; as telas só mostram novidades quando se volta a elas.',
      'Desligue no proxy o buffer e a compressão de text/event-stream (nginx: proxy_buffering off).',
    )
  // A portal of 0.2 sends no pause.
  if (count === STREAM_EVENTS && text.includes(`"of":${STREAM_EVENTS + 1}`))
    return warning(
      `Avisos ao vivo: o proxy encerra uma conexão que fica ${quietSeconds} s sem dados; as telas reconectam sem parar e mostram novidades atrasadas.`,
      'Dê mais tempo a ela no proxy, um minuto ao menos (nginx: proxy_read_timeout; HAProxy: timeout client e timeout server).',
    )
  return good('Avisos ao vivo: chegam na hora.')
}

/** Server side of the check: sends a few events, one more after a pause if there is one, and ends. */
export const sendTestEvents =
  (pauseSeconds: number | undefined): AcceptStream =>
  (stream) => {
    const ending = new AbortController()
    const of = STREAM_EVENTS + (pauseSeconds === undefined ? 0 : 1)
    const send = async () => {
      for (let count = 1; count <= of && !ending.signal.aborted; count++) {
        const isLast = count > STREAM_EVENTS
        await wait(isLast ? (pauseSeconds ?? 0) * 1000 : STREAM_PAUSE_MS, ending.signal)
        stream.write(encodeEvent({ count, of }))
      }
      stream.close()
    }
    void send()
    return () => ending.abort()
  }
