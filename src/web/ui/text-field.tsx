import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { classNames } from './class-names.ts'
import { FieldFrame, inputClasses, inputProps } from './field-frame.tsx'

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
    <FieldFrame id={id} label={label} error={error} hint={hint} className={className}>
      <div className="relative">
        <input
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
