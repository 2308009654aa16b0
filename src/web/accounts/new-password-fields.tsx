import { type ReactNode, useEffect, useRef, useState } from 'react'
import { guessableParts, guessableSentence } from '#contract/guessable-passwords.ts'
import { rateStrength, STRENGTH_LABELS, type StrengthLevel } from '#contract/passwords.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { classNames } from '#web/ui/class-names.ts'
import { TextField } from '#web/ui/text-field.tsx'

interface NewPasswordFieldsProps {
  /** 'Nova senha' unless said. */
  label?: string
  /** Whose password it is; unless said, the form's own field tells. */
  email?: string | undefined
  getError: (field: 'password' | 'confirmation') => string | undefined
  minLength: number
  onTyped?: (password: string) => void
  /** What is said of a password in the place of the hints, where the page has a list of its own. */
  remark?: (password: string) => string | undefined
}

/** A new password, how strong it is, and the password once more. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { label = 'Nova senha', email, getError, minLength, onTyped, remark } = props
  const [typed, setTyped] = useState({ password: '', email: '' })
  const password = useRef<HTMLInputElement>(null)
  const follow = (input: HTMLInputElement) => {
    setTyped({ password: input.value, email: email ?? emailBeside(input) ?? '' })
    onTyped?.(input.value)
  }
  // What was typed before the page took over.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (password.current?.value) follow(password.current)
  }, [])
  const about = { groupName: portalSettings.groupName, email: typed.email }
  const guessable = guessableSentence(guessableParts(typed.password, about))
  const shared = { type: 'password', autoComplete: 'new-password', required: true, minLength }
  return (
    <>
      {/* Tells a password manager whose password it keeps. */}
      {email !== undefined && (
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      )}
      <div className="space-y-3">
        <TextField
          {...shared}
          ref={password}
          label={label}
          name="password"
          error={getError('password')}
          onInput={(event) => follow(event.currentTarget)}
        />
        <StrengthMeter password={typed.password}>
          {/* In one place, with room for two lines: what makes the whole guessable hides what else could be better. */}
          <div className="grid">
            <p aria-live="polite" className="col-start-1 row-start-1 min-h-8 font-medium text-warning">
              {guessable}
            </p>
            <div className={classNames('col-start-1 row-start-1', guessable && 'invisible')}>
              {remark ? remark(typed.password) : <Hints password={typed.password} />}
            </div>
          </div>
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

/** What stands in the form's own field for it, where it has one. */
function emailBeside({ form }: HTMLInputElement): string | undefined {
  const field = form?.elements.namedItem('email')
  return field instanceof HTMLInputElement ? field.value : undefined
}

const colors: Record<StrengthLevel, string> = {
  weak: 'bg-red-600',
  medium: 'bg-yellow-500',
  strong: 'bg-blue-600',
  'very-strong': 'bg-green-600',
}

/** How strong a password is while it is typed: score and level, and below what else is to be said of it. */
function StrengthMeter({ password, children }: { password: string; children: ReactNode }) {
  const { score, level } = rateStrength(password)
  return (
    <div className="@container space-y-1.5 text-muted text-xs">
      <div className="flex justify-between gap-4">
        <p aria-live="polite">
          Força da senha:{' '}
          <strong className="font-medium text-ink">{password ? STRENGTH_LABELS[level] : '–'}</strong>
        </p>
        {/* As wide with one digit as with three. */}
        <p className="tabular-nums">{`${String(score).padStart(3, '\u2007')}/100`}</p>
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
      {children}
    </div>
  )
}

/** What the hints say of a password that is empty: all of them, in their order. */
const ALL_HINTS = rateStrength('').feedback

/** What would make it stronger. Each hint keeps its place when it goes, so that no letter moves anything. */
function Hints({ password }: { password: string }) {
  const { feedback } = rateStrength(password)
  return (
    <ul className="grid gap-x-4 leading-[1.125rem] @min-[21rem]:grid-cols-[auto_1fr] @min-[21rem]:whitespace-nowrap">
      {ALL_HINTS.map((hint) => (
        <li key={hint} className={feedback.includes(hint) ? undefined : 'invisible'}>
          {hint}
        </li>
      ))}
    </ul>
  )
}
