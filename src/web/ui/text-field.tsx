import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { classNames } from './class-names.ts'

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> & {
  label: string
  /** What is wrong with the value, shown under the field and read out with it. */
  error?: string | undefined
  /** A remark under the field: a rule, or that Caps Lock is on. */
  hint?: ReactNode
}

/** A labelled input. Of type 'password' it gets a button that shows what was typed. */
export function TextField({ label, error, hint, type = 'text', className, ...rest }: TextFieldProps) {
  const id = useId()
  const [isRevealed, setIsRevealed] = useState(false)
  const isPassword = type === 'password'
  return (
    <div className={classNames('space-y-1.5', className)}>
      <label htmlFor={id} className="block font-medium text-sm">
        {label}
      </label>
      <div className="relative">
        <input
          {...rest}
          id={id}
          type={isPassword && isRevealed ? 'text' : type}
          aria-invalid={error ? true : undefined}
          aria-describedby={
            classNames(error && `${id}-error`, hint !== undefined && `${id}-hint`) || undefined
          }
          className={classNames(
            'h-11 w-full rounded-lg border bg-surface px-3 text-base text-ink placeholder:text-muted sm:text-sm',
            'transition-colors focus-visible:outline-offset-0 disabled:opacity-60 read-only:bg-subtle',
            error ? 'border-danger' : 'border-line-strong/70 hover:border-line-strong',
            isPassword && 'pr-11',
          )}
        />
        {isPassword && <RevealButton isRevealed={isRevealed} onToggle={() => setIsRevealed(!isRevealed)} />}
      </div>
      {error && (
        <p id={`${id}-error`} className="text-danger text-sm">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </div>
      )}
    </div>
  )
}

function RevealButton({ isRevealed, onToggle }: { isRevealed: boolean; onToggle: () => void }) {
  const Icon = isRevealed ? EyeOff : Eye
  return (
    <button
      type="button"
      aria-label="Mostrar senha"
      aria-pressed={isRevealed}
      onClick={onToggle}
      className="absolute inset-y-0 right-0 inline-flex w-11 items-center justify-center rounded-r-lg text-muted hover:text-ink focus-visible:-outline-offset-2"
    >
      <Icon aria-hidden="true" className="size-4" />
    </button>
  )
}
