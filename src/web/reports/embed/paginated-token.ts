import { getIdleMs } from '#web/session/activity.ts'
import { showToast } from '#web/ui/toast.tsx'

const CHECK_INTERVAL_MS = 1_000
/** Without activity for this long, a reload interrupts nobody. */
const IDLE_MS = 2 * 60_000
/** Before the end a report is reloaded also while somebody acts: after it, it stays dead. */
const LAST_MS = 60_000

interface PaginatedToken {
  element: HTMLElement
  isVisible: () => boolean
  /** Until the end of the token that the frame has. */
  getRemainingMs: () => number
  hasNewToken: () => boolean
  reload: () => void
  /** Called each second from the end on, as long as there is no new token. */
  onEnded: () => void
}

/**
 * Reloads a paginated report with its new token, at a moment when nobody acts where there is one:
 * it takes none in place (learn.microsoft.com/power-bi/developer/embedded/embed-paginated-reports).
 * @returns a function that stops it
 */
export function watchPaginatedToken(options: PaginatedToken): () => void {
  const { element, isVisible, getRemainingMs, hasNewToken, reload, onEnded } = options
  // What a person does inside the frame cannot be seen; the focus shows that they may.
  const isActing = () => isVisible() && (getIdleMs() < IDLE_MS || element.contains(document.activeElement))
  const timer = setInterval(() => {
    const remainingMs = getRemainingMs()
    if (!hasNewToken()) remainingMs <= 0 && onEnded()
    else if (remainingMs < LAST_MS || !isActing()) reload()
  }, CHECK_INTERVAL_MS)
  return () => clearInterval(timer)
}

/**
 * Says why the report starts anew. A host cannot read the parameters that a reader has chosen
 * (learn.microsoft.com/power-bi/paginated-reports/paginated-reports-embed, 'Unsupported features').
 */
export function announceReload(title: string): void {
  showToast({
    kind: 'info',
    title: `O relatório ${title} foi recarregado`,
    description:
      'O acesso a um relatório paginado vence de tempos em tempos, e só recarregá-lo o renova. Se você tinha mudado os parâmetros, escolha-os de novo.',
    // Whoever is away reads it later.
    lifetimeMs: Number.POSITIVE_INFINITY,
  })
}
