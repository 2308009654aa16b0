import { Toast } from '@base-ui/react/toast'
import X from 'lucide-react/icons/x'
import { KindIcon, type NoticeKind } from './kind-icon.tsx'

const manager = Toast.createToastManager<{ kind: NoticeKind }>()

/** A toast that says what went wrong stays longer than one that says that all is well. */
const TIMEOUTS_MS: Record<NoticeKind, number> = { success: 5_000, info: 6_000, warning: 9_000, error: 9_000 }

/** Shows a short notice over the page; it goes by itself, waiting while it is pointed at or focused. */
export function showToast(toast: { kind: NoticeKind; title: string; description?: string }): void {
  const { kind, ...texts } = toast
  manager.add({ ...texts, data: { kind }, timeout: TIMEOUTS_MS[kind] })
}

/** The place where toasts appear; once in the page. F6 moves the focus to it. */
export function Toaster() {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Viewport
        aria-label="Notificações"
        className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-stretch gap-2 sm:inset-x-auto sm:right-4 sm:w-96"
      >
        <Toasts />
      </Toast.Viewport>
    </Toast.Provider>
  )
}

function Toasts() {
  const { toasts } = Toast.useToastManager<{ kind: NoticeKind }>()
  return toasts.map((toast) => <ToastCard key={toast.id} toast={toast} />)
}

function ToastCard({ toast }: { toast: Toast.Root.ToastObject<{ kind: NoticeKind }> }) {
  const kind = toast.data?.kind ?? 'info'
  // Announced where it stands: the primitive's own urgent mode would put every text on the page twice.
  const role = kind === 'error' || kind === 'warning' ? 'alert' : 'status'
  return (
    <Toast.Root
      toast={toast}
      {...{ role, 'aria-modal': undefined }}
      swipeDirection="right"
      className="pointer-events-auto translate-x-(--toast-swipe-movement-x) rounded-lg border border-line bg-raised text-ink shadow-lg transition-opacity data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-start gap-3 p-4 pr-2 text-sm">
        <KindIcon kind={kind} className="mt-0.5" />
        <div className="min-w-0 flex-1 space-y-0.5">
          <Toast.Title className="font-medium" render={<p />} />
          <Toast.Description className="text-muted" />
        </div>
        <Toast.Close
          aria-label="Fechar notificação"
          className="-my-2 inline-flex size-9 shrink-0 items-center justify-center rounded-md text-muted hover:bg-subtle hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  )
}
