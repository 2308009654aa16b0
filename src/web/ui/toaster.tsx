import X from 'lucide-react/icons/x'
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import { KindIcon, Sentence } from './alert.tsx'
import { classNames } from './class-names.ts'
import {
  closeToast,
  groupByCause,
  pauseToasts,
  runToastAction,
  type ShownToast,
  toastStore,
} from './toast.tsx'
import { Tooltip } from './tooltip.tsx'
import { formatTimeLeft, useSecondsLeft } from './use-seconds-left.ts'

/** The class that puts the toasts at the opposite edge. */
const OPPOSITE_EDGE = 'toasts-at-opposite-edge'

/** The container of toasts; once per page. Visible, announced and closable above modal dialogs too. */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.read, toastStore.read)
  const section = useRef<HTMLElement>(null)
  usePauseWhileHidden()
  useToastShortcut(section, toasts)
  const [isUnfolded, setIsUnfolded] = useState(false)
  const newest = toasts.at(-1)?.id
  const isAtOppositeEdge = useOppositeEdge(section, newest)
  useEffect(() => {
    if (newest === undefined) {
      // A removed toast fires no mouseleave.
      pauseToasts(false)
      setIsUnfolded(false)
    }
    section.current?.scrollTo(0, 9e9)
  }, [newest])
  useLayoutEffect(() => {
    const isAtTop = toasts.length > 0 && !isAtOppositeEdge
    const end = isAtTop ? (section.current?.getBoundingClientRect().bottom ?? 0) : 0
    document.body.style.setProperty('--toasts-end', `${end}px`)
  })
  // Outside of #root, whose stacking context is below dialogs and their backdrop.
  return createPortal(
    // Polite for good news; an error has its own role="alert" and interrupts.
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
      // At the top on narrow windows (keyboard and buttons are at the bottom), and above an open dialog.
      // Narrow windows show the newest toast and those with an action; the others are folded.
      className={classNames(
        'toasts pointer-events-none fixed z-50 flex flex-col gap-2 overflow-y-auto',
        isAtOppositeEdge && OPPOSITE_EDGE,
        !isUnfolded && 'toasts-folded',
      )}
    >
      {[...groupByCause(toasts)].map(([cause, group]) => (
        <ToastCard key={cause} toasts={group}>
          {group.at(-1)?.id === newest && (
            <Unfold toasts={toasts} isUnfolded={isUnfolded} onToggle={() => setIsUnfolded(!isUnfolded)} />
          )}
        </ToastCard>
      ))}
    </section>,
    document.body,
  )
}

/**
 * Whether toasts are at the opposite edge: where they cover less of the focused element (without one,
 * of the screen's messages) and of the form fields.
 */
function useOppositeEdge(section: RefObject<HTMLElement | null>, newest: number | undefined): boolean {
  const [isAtOppositeEdge, setIsAtOppositeEdge] = useState(false)
  useLayoutEffect(() => {
    if (newest === undefined) return setIsAtOppositeEdge(false)
    const own = section.current
    const focused = document.activeElement
    if (!own || !focused || own.contains(focused)) return
    const first =
      focused === document.body
        ? document.querySelectorAll('main :is([role="alert"], [role="status"])')
        : [focused]
    const fields = document.querySelectorAll('main :is(input, textarea)')
    const count = () => 100 * countOverlaps(own, first) + countOverlaps(own, fields)
    const here = count()
    if (here === 0) return
    own.classList.toggle(OPPOSITE_EDGE)
    const there = count()
    own.classList.toggle(OPPOSITE_EDGE)
    if (there < here) setIsAtOppositeEdge((is) => !is)
  }, [section, newest])
  return isAtOppositeEdge
}

/** Counts the elements that a box overlaps. */
function countOverlaps(box: Element, elements: Iterable<Element> | ArrayLike<Element>): number {
  const own = box.getBoundingClientRect()
  const rects = Array.from(elements, (element) => element.getBoundingClientRect())
  return rects.filter(
    ({ left, right, top, bottom }) =>
      own.left < right && left < own.right && own.top < bottom && top < own.bottom,
  ).length
}

/** Toasts of one cause: the cause is shown once, but each toast is announced in full. */
function ToastCard({ toasts, children }: { toasts: readonly ShownToast[]; children: ReactNode }) {
  const last = toasts.at(-1)
  if (!last) return null
  return (
    <div
      className={classNames(
        'toast pointer-events-auto flex items-start gap-3 rounded-lg border border-line bg-raised p-4 pr-2 text-ink text-sm shadow-lg',
        last.action && 'toast-offering',
      )}
    >
      <KindIcon kind={last.kind} className="mt-0.5" />
      <div className="min-w-0 flex-1 space-y-0.5">
        {toasts.map((toast) => (
          <ToastText key={toast.id} toast={toast} isLast={toast === last} />
        ))}
        {children}
      </div>
      <Tooltip text="Fechar" className="-my-2 shrink-0">
        <button
          type="button"
          aria-label="Fechar notificação"
          onClick={() => {
            for (const { id } of toasts) closeToast(id)
          }}
          className="inline-flex size-9 items-center justify-center rounded-md text-muted hover:bg-subtle hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      </Tooltip>
    </div>
  )
}

function ToastText({ toast, isLast }: { toast: ShownToast; isLast: boolean }) {
  const isUrgent = toast.kind === 'error' || toast.kind === 'warning'
  return (
    <div
      role={isUrgent ? 'alert' : undefined}
      className="toast-text flex min-w-0 flex-wrap items-start gap-x-3"
    >
      <div className="min-w-0 flex-1 basis-44 space-y-0.5">
        <p className="font-medium">
          <Sentence text={toast.title} />
        </p>
        {toast.description && (
          <p className={isLast ? 'text-muted' : 'sr-only'}>
            <Sentence text={toast.description} />
          </p>
        )}
        {toast.countdownTo && <Countdown to={toast.countdownTo} />}
      </div>
      {toast.action && (
        <button
          type="button"
          onClick={() => runToastAction(toast.id)}
          className="-my-2 -ml-2 h-9 shrink-0 rounded-md px-2 font-medium text-brand-strong hover:bg-subtle"
        >
          {toast.action.label}
        </button>
      )}
    </div>
  )
}

interface UnfoldProps {
  toasts: readonly ShownToast[]
  isUnfolded: boolean
  onToggle: () => void
}

/** 'e mais 5': expands the toasts folded on narrow windows. Remains when expanded, to keep the focus. */
function Unfold({ toasts, isUnfolded, onToggle }: UnfoldProps) {
  const count = toasts.slice(0, -1).filter(({ action }) => !action).length
  if (count === 0) return null
  return (
    <button
      type="button"
      aria-expanded={isUnfolded}
      onClick={onToggle}
      className="-mb-2 -ml-2 h-9 rounded-md px-2 font-medium text-brand-strong hover:bg-subtle lg:hidden"
    >
      {isUnfolded ? 'mostrar menos' : `e mais ${count}`}
    </button>
  )
}

/** Hidden from screen readers, which would read every second. */
function Countdown({ to }: { to: number }) {
  return (
    <p aria-hidden="true" className="text-muted tabular-nums">
      Faltam {formatTimeLeft(useSecondsLeft(to) * 1_000)}.
    </p>
  )
}

/** Pauses the toasts of a background tab, where they cannot be read. */
function usePauseWhileHidden(): void {
  useEffect(() => {
    const onVisibilityChange = () => pauseToasts(document.visibilityState === 'hidden')
    document.addEventListener('visibilitychange', onVisibilityChange)
    return () => document.removeEventListener('visibilitychange', onVisibilityChange)
  }, [])
}

/**
 * Moves the focus to the newest toast and back on F6: toasts are at the end of the
 * page, too far to tab to in time. When the focused toast closes, the focus returns.
 */
function useToastShortcut(section: RefObject<HTMLElement | null>, toasts: readonly ShownToast[]): void {
  const previousFocus = useRef<HTMLElement>(null)

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const newest = section.current?.lastElementChild?.querySelector<HTMLElement>(
        'button:not([aria-expanded])',
      )
      if (event.key !== 'F6' || !newest) return
      event.preventDefault()
      if (section.current?.contains(document.activeElement)) return previousFocus.current?.focus()
      previousFocus.current = document.activeElement as HTMLElement | null
      newest.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [section])

  // biome-ignore lint/correctness/useExhaustiveDependencies: checks the focus after every change
  useEffect(() => {
    if (document.activeElement !== document.body) return
    previousFocus.current?.focus()
    previousFocus.current = null
  }, [toasts])
}
