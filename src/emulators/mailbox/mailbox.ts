import { type CapturedMail, type DeliveredMail, pagePolicy, renderPage } from './render-page.ts'

const KEPT_MAILS = 500
const PATH = '/demo/mailbox'

/** Takes the place of a mail server in the demo: the last 500 mails are read in the browser. */
export function createMailbox(clock: () => number = Date.now) {
  const mails: CapturedMail[] = []
  let delivered = 0
  return {
    deliver({ to, kind, subject, text, link }: DeliveredMail): void {
      const sentAt = new Date(clock()).toISOString()
      mails.push({ id: String(++delivered), to, kind, subject, link, text, sentAt })
      if (mails.length > KEPT_MAILS) mails.shift()
    },
    /** GET /demo/mailbox is a page, GET /demo/mailbox.json?to=ADDRESS a list, oldest first. */
    handle: async (request: Request) => answer(request, mails),
  }
}

function answer(request: Request, mails: CapturedMail[]): Response {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname !== PATH && pathname !== `${PATH}.json`)
    return new Response('Não encontrado', { status: 404, headers: headersOf('text/plain') })
  if (!['GET', 'HEAD'].includes(request.method))
    return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
  if (pathname.endsWith('.json')) {
    const to = searchParams.get('to')?.trim().toLowerCase()
    const wanted = to ? mails.filter((mail) => mail.to.toLowerCase() === to) : mails
    return new Response(JSON.stringify(wanted), { headers: headersOf('application/json') })
  }
  const selected = mails.find(({ id }) => id === searchParams.get('mail'))
  const headers = { ...headersOf('text/html'), 'Content-Security-Policy': pagePolicy }
  return new Response(renderPage(mails.toReversed(), selected), { headers })
}

function headersOf(type: string): Record<string, string> {
  return { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' }
}
