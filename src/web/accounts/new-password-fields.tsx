import { type ReactNode, useState } from 'react'
import { findGuessableParts, formatGuessableParts } from '#contract/guessable-passwords.ts'
import {
  describeOuterBlanks,
  rateStrength,
  STRENGTH_LABELS,
  type StrengthLevel,
} from '#contract/passwords.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { classNames } from '#web/ui/class-names.ts'
import { TextField } from '#web/ui/text-field.tsx'

interface NewPasswordFieldsProps {
  /** By default 'Nova senha'. */
  label?: string
  /** The account's address; by default that of the form's own field. */
  email?: string | undefined
  getError: (field: 'password' | 'confirmation') => string | undefined
  minLength: number
  onTyped?: (password: string) => void
  /** Replaces the hints, where the page lists the requirements itself. */
  remark?: (password: string) => ReactNode
}

/** The fields of a new password and its confirmation, with a strength meter. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { label = 'Nova senha', email, getError, minLength, onTyped, remark } = props
  const [typed, setTyped] = useState({ password: '', email: '' })
  const update = (input: HTMLInputElement) => {
    setTyped({ password: input.value, email: email ?? getFormEmail(input) ?? '' })
    onTyped?.(input.value)
  }
  const about = { groupName: portalSettings.groupName, email: typed.email }
  const guessable = formatGuessableParts(findGuessableParts(typed.password, about))
  const shared = { type: 'password', autoComplete: 'new-password', required: true, minLength }
  return (
    <>
      {/* Tells a password manager which account the password belongs to. */}
      {email !== undefined && (
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      )}
      <div className="space-y-3">
        <TextField
          {...shared}
          label={label}
          name="password"
          error={getError('password')}
          onInput={(event) => update(event.currentTarget)}
        />
        <StrengthMeter password={typed.password} isRejected={guessable !== undefined}>
          {/* Two lines are reserved, so that nothing shifts. */}
          <p aria-live="polite" className="min-h-8 font-medium text-warning">
            {[guessable, describeOuterBlanks(typed.password)].filter(Boolean).join(' ')}
          </p>
          {remark ? remark(typed.password) : <Hints password={typed.password} />}
        </StrengthMeter>
      </div>
      <TextField
        {...shared}
        label={`Confirmar ${label.toLowerCase()}`}
        name="confirmation"
        error={getError('confirmation')}
      />
    </>
  )
}

/** Returns the value of the form's own e-mail field, if it has one. */
function getFormEmail({ form }: HTMLInputElement): string | undefined {
  const field = form?.elements.namedItem('email')
  return field instanceof HTMLInputElement ? field.value : undefined
}

const colors: Record<StrengthLevel, string> = {
  weak: 'bg-red-600',
  medium: 'bg-yellow-500',
  strong: 'bg-blue-600',
  'very-strong': 'bg-green-600',
}

interface StrengthMeterProps {
  password: string
  /** Whether a guessable part will have it rejected, however many points it has. */
  isRejected: boolean
  children: ReactNode
}

/** The strength of a password as it is typed, with hints below. */
function StrengthMeter({ password, isRejected, children }: StrengthMeterProps) {
  const { score, level } = rateStrength(password)
  const color = colors[isRejected && level === 'very-strong' ? 'medium' : level]
  return (
    <div className="@container space-y-1.5 text-muted text-xs">
      <div className="flex justify-between gap-4">
        <p aria-live="polite">
          {/* Of one width in every font: nothing beside it moves when Inter comes. */}
          <span className="inline-block min-w-[5.9rem]">Força da senha:</span>{' '}
          <strong className="font-medium text-ink">{password ? STRENGTH_LABELS[level] : '–'}</strong>
        </p>
        {/* Equally wide for one and three digits. */}
        <p className="w-[3.2rem] whitespace-nowrap tabular-nums">{`${String(score).padStart(3, '\u2007')}/100`}</p>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled alike across browsers */}
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
          // The CSP forbids inline styles in prerendered HTML.
          style={score > 0 ? { width: `${score}%` } : undefined}
          className={classNames('h-full w-0 rounded-full transition-[width]', color)}
        />
      </div>
      {children}
    </div>
  )
}

/** The hints for an empty password: all of them, in order. */
const ALL_HINTS = rateStrength('').feedback

/**
 * Hints for a stronger password. A resolved hint stays as an
 * invisible placeholder, so that nothing shifts.
 */
function Hints({ password }: { password: string }) {
  const { feedback } = rateStrength(password)
  return (
    <ul className="grid gap-x-3 leading-[1.125rem] @min-[21rem]:grid-cols-[10.75rem_1fr] @min-[21rem]:whitespace-nowrap">
      {ALL_HINTS.map((hint) => (
        <li key={hint} className={feedback.includes(hint) ? undefined : 'invisible'}>
          {hint}
        </li>
      ))}
    </ul>
  )
}
