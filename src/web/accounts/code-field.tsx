import type { FormFailure } from '#web/ui/form-alert.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { toFormFailure } from '#web/ui/use-form.ts'

/** Six digits of an authenticator app. */
export function CodeField(props: { value: string; error?: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label="Código de 6 números"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={16}
      autoFocus
      value={props.value}
      error={props.error}
      onChange={({ target }) => props.onChange(target.value)}
      className="tabular-nums"
    />
  )
}

/** Errors of the second step say themselves what to do. */
export function toStepFailure(error: unknown): FormFailure {
  const failure = toFormFailure(error)
  const isWaiting = failure.until !== undefined || failure.isOffline
  return isWaiting || !(error instanceof Error) ? failure : { title: error.message }
}
