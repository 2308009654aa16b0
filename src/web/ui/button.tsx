import { type ComponentProps, useSyncExternalStore } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './loading.tsx'

const subscribeToNothing = () => () => {}

/** Whether the prerendered page has been hydrated; until then no click is handled. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  )
}

const variants = {
  primary:
    'bg-brand text-brand-foreground hover:bg-[color-mix(in_oklab,var(--color-brand),var(--color-ink)_14%)]',
  secondary: 'border border-line-strong/50 bg-surface text-ink hover:bg-subtle',
  ghost: 'text-ink hover:bg-subtle',
  outlineDanger: 'border border-danger/60 bg-surface text-danger hover:bg-danger-soft',
  danger: 'bg-danger-solid text-white hover:bg-[color-mix(in_oklab,var(--color-danger-solid),black_14%)]',
}
const sizes = { medium: 'h-10 px-4', large: 'h-11 px-5' }

export type ButtonVariant = keyof typeof variants
export type ButtonSize = keyof typeof sizes

export function buttonClasses(variant: ButtonVariant, size: ButtonSize = 'medium'): string {
  return classNames(
    'inline-flex select-none items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium text-sm',
    'transition-colors aria-disabled:cursor-default aria-disabled:opacity-70',
    variants[variant],
    sizes[size],
  )
}

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  size?: ButtonSize
  /** A request is in progress: shows a spinner and ignores clicks, but keeps the focus. */
  isBusy?: boolean
}

/**
 * A button, by default of type 'button', disabled until hydration: nobody hears a press before,
 * and of a submit button the browser would send the form itself.
 */
export function Button({
  variant = 'primary',
  size,
  isBusy = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  const isHydrated = useHydrated()
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || !isHydrated}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || rest['aria-disabled'] || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
      className={classNames(buttonClasses(variant, size), rest.disabled && 'opacity-55', className)}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  )
}

/** The classes of a text link, on its own or in a sentence. */
export const textLinkClasses = 'rounded-sm font-medium text-brand-strong underline-offset-4 hover:underline'
