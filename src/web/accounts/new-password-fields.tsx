import Check from 'lucide-react/icons/check'
import Circle from 'lucide-react/icons/circle'
import { useState } from 'react'
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

type Requirement = readonly [text: string, isMet: (password: string) => boolean]

/** The hints for an empty password: all of them, in order. */
const HINTS = rateStrength('').feedback.map(
  (hint): Requirement => [hint, (password) => !rateStrength(password).feedback.includes(hint)],
)

interface NewPasswordFieldsProps {
  /** By default 'Nova senha'. */
  label?: string
  /** The account's address; by default that of the form's own field. */
  email?: string | undefined
  getError: (field: 'password' | 'confirmation') => string | undefined
  minLength: number
  /** By default the hints of the strength. */
  requirements?: readonly Requirement[]
  /** Whether a guessable part makes a password weak, however many points it has. */
  isGuessableWeak?: boolean
}

/** Explains why the server would refuse a guessable password; undefined where it would not. */
export const explainGuessable = (password: string, email: string): string | undefined =>
  formatGuessableParts(findGuessableParts(password, { groupName: portalSettings.groupName, email }))

/** The fields of a new password and its confirmation, with a strength meter. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { label = 'Nova senha', email, getError, minLength, requirements = HINTS, isGuessableWeak } = props
  const [typed, setTyped] = useState({ password: '', email: '' })
  const update = (input: HTMLInputElement) =>
    setTyped({ password: input.value, email: email ?? getFormEmail(input) ?? '' })
  const { password } = typed
  const reason = explainGuessable(password, typed.email)
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
        <div className="space-y-1.5 text-muted text-xs">
          <StrengthMeter password={password} isWeak={isGuessableWeak && reason !== undefined} />
          <ul aria-label="Requisitos da senha" className="space-y-0.5">
            {requirements.map(([text, isMet]) => {
              const isDone = isMet(password)
              const Icon = isDone ? Check : Circle
              return (
                <li key={text} className="flex items-center gap-1.5">
                  <Icon aria-hidden="true" className={`size-3.5 shrink-0 ${isDone ? 'text-success' : ''}`} />
                  <span>{text}</span>
                  {isDone && <span className="sr-only"> (atendido)</span>}
                </li>
              )
            })}
          </ul>
          {/* Room for two lines on a phone is reserved, so that nothing shifts. */}
          <p aria-live="polite" className="min-h-8 font-medium text-warning sm:min-h-4">
            {[reason && `Será recusada: ${reason}.`, describeOuterBlanks(password)].filter(Boolean).join(' ')}
          </p>
        </div>
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

/** The strength of a password as it is typed. */
function StrengthMeter({ password, isWeak }: { password: string; isWeak: boolean | undefined }) {
  const { score, level } = rateStrength(password, isWeak)
  return (
    <>
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
          className={classNames('h-full w-0 rounded-full transition-[width]', colors[level])}
        />
      </div>
    </>
  )
}
