import X from 'lucide-react/icons/x'
import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { KindIcon } from './kind-icon.tsx'
import { closeToast, pauseToasts, runToastAction, type ShownToast, toastStore } from './toast-store.ts'
import { useHydrated } from './use-hydrated.ts'

export { closeToast, closeToasts, showToast, type ToastContent } from './toast-store.ts'

/** The place where toasts appear; once in the page. Also behind a modal dialog they are seen, read out and closable. */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.read, toastStore.read)
  const section = useRef<HTMLElement>(null)
  const isHydrated = useHydrated()
  usePauseWhileHidden()
  useToastShortcut(section, toasts)
  const newest = toasts.at(-1)?.id
  useEffect(() => {
    // What pointed at the last toast cannot leave it any more once it is gone.
    if (newest === undefined) pauseToasts(false)
    section.current?.scrollTo(0, 9e9)
  }, [newest])
  // A portal cannot be drawn beforehand.
  if (!isHydrated) return null
  // Outside the root, which is a stacking context of its own below every dialog and its shade.
  return createPortal(
    // Polite for good news; an error carries role="alert" of its own and interrupts.
    <section
      ref={section}
      aria-label="Notificações"
      aria-keyshortcuts="F6"
      aria-live="polite"
      aria-relevant="additions"
      onMouseEnter={() => pauseToasts(true)}
      onMouseLeave={() => pauseToasts(false)}
      onFocus={() => pauseToasts(true)}
      onBlur={() => pauseToasts(false)}
      // At the top while a dialog stands open: its buttons are at the bottom of a phone. There the newest two are
      // seen and the others scrolled to, so that they do not cover the form that they speak of.
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex max-h-40 flex-col gap-2 overflow-y-auto sm:inset-x-auto sm:max-h-none sm:overflow-visible sm:right-4 sm:w-96 [body:has(>[data-base-ui-portal])_&]:[inset-block:1rem_auto]"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>,
    document.body,
  )
}

function ToastCard({ toast }: { toast: ShownToast }) {
  const isUrgent = toast.kind === 'error' || toast.kind === 'warning'
  return (
    <div
      role={isUrgent ? 'alert' : undefined}
      className="toast pointer-events-auto flex items-start gap-3 rounded-lg border border-line bg-raised p-4 pr-2 text-ink text-sm shadow-lg"
    >
      <KindIcon kind={toast.kind} className="mt-0.5" />
      <div className="min-w-0 flex-1 space-y-0.5">
        <p className="font-medium">{toast.title}</p>
        {toast.description && <p className="text-muted">{toast.description}</p>}
      </div>
      {toast.action && (
        <button
          type="button"
          onClick={() => runToastAction(toast.id)}
          className="-my-2 h-9 shrink-0 rounded-md px-2 font-medium text-brand-strong hover:bg-subtle"
        >
          {toast.action.label}
        </button>
      )}
      <button
        type="button"
        aria-label="Fechar notificação"
        onClick={() => closeToast(toast.id)}
        className="-my-2 inline-flex size-9 shrink-0 items-center justify-center rounded-md text-muted hover:bg-subtle hover:text-ink"
      >
        <X aria-hidden="true" className="size-4" />
      </button>
    </div>
  )
}

/** A notice in a tab that is out of sight is not read. */
function usePauseWhileHidden(): void {
  useEffect(() => {
    const follow = () => pauseToasts(document.visibilityState === 'hidden')
    document.addEventListener('visibilitychange', follow)
    return () => document.removeEventListener('visibilitychange', follow)
  }, [])
}

/**
 * F6 moves the focus to the newest notice and back again: the notices stand at the end of the page, too far to
 * tab to before they go. When the focused one goes, the focus returns to where it came from.
 */
export function useToastShortcut(
  section: RefObject<HTMLElement | null>,
  toasts: readonly ShownToast[],
): void {
  const cameFrom = useRef<HTMLElement>(null)

  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const newest = section.current?.lastElementChild?.querySelector('button')
      if (event.key !== 'F6' || !newest) return
      event.preventDefault()
      if (section.current?.contains(document.activeElement)) return cameFrom.current?.focus()
      cameFrom.current = document.activeElement as HTMLElement | null
      newest.focus()
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [section])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks where the focus is after every change of the notices
  useEffect(() => {
    if (document.activeElement !== document.body) return
    cameFrom.current?.focus()
    cameFrom.current = null
  }, [toasts])
}
