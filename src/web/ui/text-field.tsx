import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> & {
  label: string
  /** The validation error, shown below the field and announced with it. */
  error?: string | undefined
  /** A note below the field: a rule, or that Caps Lock is on. */
  hint?: ReactNode
}

export function TextField({ label, error, hint, type = 'text', className, ...rest }: TextFieldProps) {
  const id = useId()
  const [isRevealed, setIsRevealed] = useState(false)
  const isPassword = type === 'password'
  return (
    <FieldFrame id={id} label={label} error={error} hint={hint} className={className}>
      <div className="relative">
        <input
          // Phones would change a password that is shown.
          {...(isPassword && { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false })}
          {...rest}
          {...inputProps(id, error, hint)}
          type={isPassword && isRevealed ? 'text' : type}
          className={classNames('h-11', inputClasses(error), isPassword && 'pr-11')}
        />
        {isPassword && <RevealButton isRevealed={isRevealed} onToggle={() => setIsRevealed(!isRevealed)} />}
      </div>
    </FieldFrame>
  )
}

function RevealButton({ isRevealed, onToggle }: { isRevealed: boolean; onToggle: () => void }) {
  const Icon = isRevealed ? EyeOff : Eye
  return (
    <Tooltip text={isRevealed ? 'Ocultar senha' : 'Mostrar senha'} className="absolute inset-y-0 right-0">
      <button
        type="button"
        aria-label="Mostrar senha"
        aria-pressed={isRevealed}
        onClick={onToggle}
        className="inline-flex w-11 items-center justify-center rounded-r-lg text-muted hover:text-ink focus-visible:-outline-offset-2"
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
    </Tooltip>
  )
}

/** An e-mail field: e-mail keyboard on phones, no capitalization, no spell check. */
export function EmailField(props: Omit<ComponentProps<typeof TextField>, 'label' | 'type'>) {
  return (
    <TextField
      name="email"
      inputMode="email"
      autoCapitalize="none"
      spellCheck={false}
      {...props}
      label="E-mail"
      type="email"
    />
  )
}

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'id'> & {
  label: string
  /** The validation error, shown below the field and announced with it. */
  error?: string | undefined
  hint?: ReactNode
}

export function TextArea({ label, error, hint, className, ...rest }: TextAreaProps) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} error={error} hint={hint} className={className}>
      <textarea
        {...rest}
        {...inputProps(id, error, hint)}
        className={classNames('block resize-y py-2.5', inputClasses(error))}
      />
    </FieldFrame>
  )
}

interface FieldFrameProps {
  /** The id of the input, which must refer to the texts by describedBy. */
  id: string
  label: string
  error?: string | undefined
  hint?: ReactNode
  className?: string | undefined
  children: ReactNode
}

export function FieldFrame({ id, label, error, hint, className, children }: FieldFrameProps) {
  return (
    <div className={classNames('space-y-1.5', className)}>
      <label htmlFor={id} className="block font-medium text-sm">
        {label}
      </label>
      {children}
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

export function inputProps(id: string, error: string | undefined, hint: ReactNode) {
  return {
    id,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': classNames(error && `${id}-error`, hint !== undefined && `${id}-hint`) || undefined,
  }
}

export function inputClasses(error: string | undefined): string {
  return classNames(
    'w-full rounded-lg border bg-surface px-3 text-base text-ink placeholder:text-muted sm:text-sm',
    'transition-colors focus-visible:outline-offset-0 disabled:opacity-60 read-only:bg-subtle',
    error ? 'border-danger' : 'border-line-strong/70 hover:border-line-strong',
  )
}
