import type { ComponentProps, FormEvent } from 'react'
import { TextField } from '#web/ui/text-field.tsx'
import { formatPhone } from './format-phone.ts'

/** 'Celular': a Brazilian number is written with its brackets and hyphen as it is typed, any other as it is. */
export function PhoneField(props: Omit<ComponentProps<typeof TextField>, 'label' | 'type'>) {
  return (
    <TextField
      inputMode="tel"
      autoComplete="tel"
      placeholder="(21) 98765-4321"
      {...props}
      label="Celular"
      type="tel"
      onInput={writeFormatted}
    />
  )
}

function writeFormatted({ currentTarget: input, nativeEvent }: FormEvent<HTMLInputElement>): void {
  // While an input method composes, the text belongs to it.
  if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) return
  const typed = { text: input.value, caret: input.selectionStart ?? input.value.length }
  const { text, caret } = formatPhone(typed)
  if (text === typed.text) return
  input.value = text
  input.setSelectionRange(caret, caret)
}
