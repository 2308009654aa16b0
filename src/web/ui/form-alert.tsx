import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Alert } from './alert.tsx'
import { formatTimeLeft, useSecondsLeft } from './use-seconds-left.ts'

/** Why a form could not be sent, or that it can be sent again. */
export interface FormFailure {
  title: string
  text?: ReactNode
  /** Milliseconds since the epoch before which it cannot be sent again. */
  until?: number
  isOffline?: boolean
  /** Whether the cause is resolved. */
  isOver?: boolean
}

/** Shows the failure next to the form and scrolls it into view, above a phone's keyboard too. */
export function FormAlert({ failure }: { failure: FormFailure | undefined }) {
  const place = useRef<HTMLDivElement>(null)
  const secondsLeft = useSecondsLeft(failure?.until)
  useEffect(() => {
    if (failure) place.current?.scrollIntoView({ block: 'nearest' })
  }, [failure])
  if (!failure) return null
  const { until, title, text } = failure
  const isOver = failure.isOver || (until !== undefined && secondsLeft === 0)
  return (
    // Toasts cover the top of a phone.
    <div ref={place} className="scroll-mt-40 scroll-mb-4">
      {isOver ? (
        <Alert kind="info">{until ? 'Você já pode tentar de novo.' : title}</Alert>
      ) : (
        <Alert kind="error" title={title}>
          {text}
          {until && <Wait until={until} secondsLeft={secondsLeft} />}
        </Alert>
      )}
    </div>
  )
}

/** Announced once, but counted down visually: a screen reader would read every second. */
function Wait({ until, secondsLeft }: { until: number; secondsLeft: number }) {
  const [all] = useState(() => formatTimeLeft(until - Date.now()))
  return (
    <p className="tabular-nums">
      <span aria-hidden="true">Tente de novo em {formatTimeLeft(secondsLeft * 1_000)}.</span>
      <span className="sr-only">Tente de novo em {all}.</span>
    </p>
  )
}
