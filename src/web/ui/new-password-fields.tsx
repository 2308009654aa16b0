import { useState } from 'react'
import { StrengthMeter } from './strength-meter.tsx'
import { TextField } from './text-field.tsx'

export const NEW_PASSWORD_FIELDS = ['password', 'confirmation'] as const
export type NewPasswordField = (typeof NEW_PASSWORD_FIELDS)[number]

interface NewPasswordFieldsProps {
  labels: Record<NewPasswordField, string>
  errorOf: (field: NewPasswordField) => string | undefined
  minLength: number
  /** Called as the password is typed. */
  onTyped?: (password: string) => void
  hasHints?: boolean
}

/** A new password, how strong it is, and the password once more. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { labels, errorOf, minLength, onTyped, hasHints = true } = props
  const [typed, setTyped] = useState('')
  const follow = (password: string) => {
    setTyped(password)
    onTyped?.(password)
  }
  const shared = { type: 'password', autoComplete: 'new-password', required: true, minLength }
  return (
    <>
      <div className="space-y-3">
        <TextField
          {...shared}
          label={labels.password}
          name="password"
          error={errorOf('password')}
          onInput={(event) => follow(event.currentTarget.value)}
        />
        <StrengthMeter password={typed} hasHints={hasHints} />
      </div>
      <TextField
        {...shared}
        label={labels.confirmation}
        name="confirmation"
        error={errorOf('confirmation')}
      />
    </>
  )
}
