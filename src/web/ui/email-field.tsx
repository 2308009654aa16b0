import type { ComponentProps } from 'react'
import { TextField } from './text-field.tsx'

/** A field for an e-mail address: the right keyboard on a phone, and nobody's capitals or spelling marks. */
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
