import { startStopwatch } from '#contract/timing.ts'
import { getIdleMs } from '#web/session/activity.ts'
import { showToast } from '#web/ui/toast.tsx'

const CHECK_INTERVAL_MS = 1_000
/** Without activity for this long, a reload interrupts nobody. */
const IDLE_MS = 2 * 60_000
/** Before the end a report is reloaded also while somebody acts: after it, it stays dead. */
const LAST_MS = 60_000

interface PaginatedTokenOptions {
  title: string
  element: HTMLElement
  isVisible: () => boolean
  renewToken: () => Promise<string | undefined>
  nextToken: () => Promise<string>
  getTokenRemainingMs: () => number
  /** Opens the report again with another token. */
  reload: (token: string) => void
  /** Called when the token has ended, until the reload. */
  onEnded: () => void
  signal: AbortSignal
}

/**
 * Reloads a paginated report with its new token, at a moment when nobody acts where there is one:
 * it takes none in place (learn.microsoft.com/power-bi/developer/embedded/embed-paginated-reports).
 */
export function createPaginatedToken(options: PaginatedTokenOptions) {
  const { element, isVisible, signal } = options
  let current: string | undefined
  let pending: string | undefined
  let getRemainingMs = () => Number.POSITIVE_INFINITY
  let isRecovering = false

  // What a person does inside the frame cannot be seen; the focus shows that they may.
  const isActing = () => isVisible() && (getIdleMs() < IDLE_MS || element.contains(document.activeElement))

  const timer = setInterval(() => {
    const remainingMs = getRemainingMs()
    if (isRecovering) return
    if (!pending) remainingMs <= 0 && void recover()
    else if (remainingMs < LAST_MS || !isActing()) reload(pending)
  }, CHECK_INTERVAL_MS)
  signal.addEventListener('abort', () => clearInterval(timer))

  async function recover(): Promise<void> {
    isRecovering = true
    options.onEnded()
    const expired = current
    let next = pending ?? (await options.renewToken())
    // The server may return the same one.
    while (!signal.aborted && (!next || (next === expired && getRemainingMs() <= 0)))
      next = await options.nextToken()
    isRecovering = false
    if (next && !signal.aborted) reload(next)
  }

  function reload(next: string): void {
    pending = undefined
    options.reload(next)
    announceReload(options.title)
  }

  return {
    /** Starts the time of the token that the report is opened with. */
    start(token: string): void {
      current = token
      const elapsed = startStopwatch()
      const lifeMs = options.getTokenRemainingMs()
      getRemainingMs = () => lifeMs - elapsed()
    },
    /** Keeps a new token for the reload. */
    offer(token: string): void {
      pending = token
    },
    /** Reloads at once: the report says that its token has expired. */
    recover: () => void (isRecovering || recover()),
  }
}

/**
 * Says why the report starts anew. A host cannot read the parameters that a reader has chosen
 * (learn.microsoft.com/power-bi/paginated-reports/paginated-reports-embed, 'Unsupported features').
 */
function announceReload(title: string): void {
  showToast({
    kind: 'info',
    title: `O relatório ${title} foi recarregado`,
    description:
      'O acesso a um relatório paginado vence de tempos em tempos, e só recarregá-lo o renova. Se você tinha mudado os parâmetros, escolha-os de novo.',
    // Whoever is away reads it later.
    lifetimeMs: Number.POSITIVE_INFINITY,
  })
}
