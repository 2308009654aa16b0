import { useState } from 'react'
import { TextArea } from '#web/ui/text-area.tsx'

const MESSAGE_MAX = 1000

interface MessageFieldProps {
  name: string
  defaultValue?: string | undefined
  error?: string | undefined
  readOnly?: boolean
}

/** 'Sugestão / Mensagem', six rows, with how much of its length is used. */
export function MessageField({ defaultValue = '', ...props }: MessageFieldProps) {
  const [length, setLength] = useState(lengthOf(defaultValue))
  return (
    <TextArea
      {...props}
      label="Sugestão / Mensagem"
      rows={6}
      required
      defaultValue={defaultValue}
      onInput={(event) => setLength(lengthOf(event.currentTarget.value))}
      hint={
        <span className={`tabular-nums ${length > MESSAGE_MAX ? 'text-danger' : ''}`}>
          {length} de {MESSAGE_MAX} caracteres
        </span>
      }
    />
  )
}

/** In characters as the rule counts them (contactFormSchema): an emoji outside the basic plane is one, not two. */
function lengthOf(text: string): number {
  return [...text.trim()].length
}
