import { useEffect, useRef, useState } from 'react'
import { rateStrength, STRENGTH_LABELS, type StrengthLevel } from '#contract/passwords.ts'
import { classNames } from '#web/ui/class-names.ts'
import { TextField } from '#web/ui/text-field.tsx'

interface NewPasswordFieldsProps {
  /** 'Nova senha' unless said. */
  label?: string
  errorOf: (field: 'password' | 'confirmation') => string | undefined
  minLength: number
  /** Called as the password is typed. */
  onTyped?: (password: string) => void
  hasHints?: boolean
}

/** A new password, how strong it is, and the password once more. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { label = 'Nova senha', errorOf, minLength, onTyped, hasHints = true } = props
  const [typed, setTyped] = useState('')
  const password = useRef<HTMLInputElement>(null)
  // What was typed before the page took over.
  useEffect(() => setTyped(password.current?.value ?? ''), [])
  const follow = (value: string) => {
    setTyped(value)
    onTyped?.(value)
  }
  const shared = { type: 'password', autoComplete: 'new-password', required: true, minLength }
  return (
    <>
      <div className="space-y-3">
        <TextField
          {...shared}
          ref={password}
          label={label}
          name="password"
          error={errorOf('password')}
          onInput={(event) => follow(event.currentTarget.value)}
        />
        <StrengthMeter password={typed} hasHints={hasHints} />
      </div>
      <TextField
        {...shared}
        label={`Confirmar ${label.toLowerCase()}`}
        name="confirmation"
        error={errorOf('confirmation')}
      />
    </>
  )
}

const colors: Record<StrengthLevel, string> = {
  weak: 'bg-red-600',
  medium: 'bg-yellow-500',
  strong: 'bg-blue-600',
  'very-strong': 'bg-green-600',
}

/** How strong a password is while it is typed: score, level and, unless the page has a list of its own, hints. */
function StrengthMeter({ password, hasHints }: { password: string; hasHints: boolean }) {
  const { score, level, feedback } = rateStrength(password)
  return (
    <div className="space-y-1.5 text-muted text-xs">
      <div className="flex justify-between gap-4">
        <p aria-live="polite">
          Força da senha:{' '}
          <strong className="font-medium text-ink">{password ? STRENGTH_LABELS[level] : '–'}</strong>
        </p>
        <p className="tabular-nums">{score}/100</p>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: no browser lets <meter> be drawn alike */}
      <div
        role="meter"
        aria-label="Força da senha"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={score}
        aria-valuetext={`${score} de 100, ${STRENGTH_LABELS[level]}`}
        className="h-1.5 overflow-hidden rounded-full bg-subtle"
      >
        <div
          data-level={level}
          // The page that is drawn beforehand may hold no style of an element's own.
          style={score > 0 ? { width: `${score}%` } : undefined}
          className={classNames('h-full w-0 rounded-full transition-[width]', colors[level])}
        />
      </div>
      {hasHints && (
        // Room for two lines is kept, so that the fields below do not move with every letter.
        <ul className="flex min-h-9 flex-wrap content-start gap-x-3">
          {feedback.map((hint) => (
            <li key={hint}>{hint}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
