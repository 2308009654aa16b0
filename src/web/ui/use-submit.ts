import { useRef, useState } from 'react'
import { UNDO_SECONDS } from '#contract/user-rules.ts'
import { isUnexplained } from '#web/http/send-request.ts'
import { showToast, type ToastContent } from './toast.tsx'

interface SubmitOptions<I, O> {
  send: (input: I) => Promise<O>
  /** Awaited: the change counts as in progress until then. */
  onDone?: (output: O, input: I) => unknown
  /** The title of the error toast, or a callback instead of it; awaited. */
  onFailed: string | ((error: unknown, input: I) => unknown)
  onSettled?: () => unknown
}

/** Sends one change at a time; further calls are ignored meanwhile. */
export function useSubmit<I = void, O = unknown>(options: SubmitOptions<I, O>) {
  const [isBusy, setIsBusy] = useState(false)
  const isRunning = useRef(false)
  const submit = async (input: I): Promise<void> => {
    if (isRunning.current) return
    const { send, onDone, onFailed, onSettled } = options
    isRunning.current = true
    setIsBusy(true)
    try {
      const output = await send(input)
      await onDone?.(output, input)
    } catch (error) {
      if (typeof onFailed === 'string') showToast(toFailureToast(onFailed, error))
      else await onFailed(error, input)
    } finally {
      isRunning.current = false
      setIsBusy(false)
      onSettled?.()
    }
  }
  return { submit, isBusy }
}

/** Shows a toast whose 'Desfazer' reverts the change, for half a minute, and says so. @returns its id */
export function showUndoToast(notice: ToastContent, undo: () => Promise<unknown>): number {
  const run = () =>
    void undo().then(
      () => showToast({ kind: 'success', title: 'Alteração desfeita' }),
      (error: unknown) => showToast(toFailureToast('Não foi possível desfazer', error)),
    )
  return showToast({ ...notice, lifetimeMs: UNDO_SECONDS * 1_000, action: { label: 'Desfazer', run } })
}

/** Creates an error toast with the title and, below it, the error's message; `detail` if unexplained. */
export function toFailureToast(title: string, error: unknown, detail = ''): ToastContent {
  const isExplained = error instanceof Error && !(detail && isUnexplained(error))
  const description = (isExplained && error.message) || detail
  return { kind: 'error', title, ...(description && { description }) }
}
