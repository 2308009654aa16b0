import { rateStrength, STRENGTH_LABELS, type StrengthLevel } from '#contract/passwords.ts'
import { classNames } from './class-names.ts'

/** SPEC section 2: under 40 red, 40 to 69 yellow, 70 to 89 blue, 90 or more green. */
const colors: Record<StrengthLevel, string> = {
  weak: 'bg-red-600',
  medium: 'bg-yellow-500',
  strong: 'bg-blue-600',
  'very-strong': 'bg-green-600',
}

interface StrengthMeterProps {
  password: string
  /** Whether what would make it stronger is listed below; a page with a list of its own leaves it out. */
  hasHints?: boolean
}

/** How strong a password is while it is typed: score, level and, as long as there are some, hints (SPEC section 5). */
export function StrengthMeter({ password, hasHints = true }: StrengthMeterProps) {
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
          style={{ width: `${score}%` }}
          className={classNames('h-full rounded-full transition-[width]', colors[level])}
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
