import { useRef, useState } from 'react'
import { showToast, type ToastContent } from './toast.tsx'

interface SubmitOptions<I, O> {
  send: (input: I) => Promise<O>
  /** Waited for: the change counts as under way until then. */
  onDone?: (output: O, input: I) => unknown
  /** The title of the notice when it fails, or what to do instead of showing it; waited for. */
  onFailed: string | ((error: unknown, input: I) => unknown)
  onSettled?: () => unknown
}

/** Sends one change at a time; pressed again meanwhile, nothing happens. */
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
      if (typeof onFailed === 'string') showToast(failureNotice(onFailed, error))
      else await onFailed(error, input)
    } finally {
      isRunning.current = false
      setIsBusy(false)
      onSettled?.()
    }
  }
  return { submit, isBusy }
}

/** The notice of a failure: what has failed, and below it the sentence that says why, or `detail` without one. */
export function failureNotice(title: string, error: unknown, detail = ''): ToastContent {
  const description = (error instanceof Error && error.message) || detail
  return { kind: 'error', title, ...(description && { description }) }
}
