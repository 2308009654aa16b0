import { useState } from 'react'
import { TextArea } from '#web/ui/text-area.tsx'

const MESSAGE_MAX = 1000

interface MessageFieldProps {
  name: string
  defaultValue?: string | undefined
  error?: string | undefined
}

/** 'Sugestão / Mensagem', six rows, with how much of its length is used. */
export function MessageField({ defaultValue = '', ...props }: MessageFieldProps) {
  const [length, setLength] = useState(defaultValue.trim().length)
  return (
    <TextArea
      {...props}
      label="Sugestão / Mensagem"
      rows={6}
      required
      defaultValue={defaultValue}
      onInput={(event) => setLength(event.currentTarget.value.trim().length)}
      hint={
        <span className={`tabular-nums ${length > MESSAGE_MAX ? 'text-danger' : ''}`}>
          {length} de {MESSAGE_MAX} caracteres
        </span>
      }
    />
  )
}
