import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { FieldFrame, inputClasses, inputProps } from './field-frame.tsx'

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'id'> & {
  label: string
  /** What is wrong with the value, shown under the field and read out with it. */
  error?: string | undefined
  /** A remark under the field. */
  hint?: ReactNode
}

/** A labelled field for several lines. */
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
