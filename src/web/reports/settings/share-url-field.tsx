import { useState } from 'react'
import { isPublishedToWeb, reduceToUrl } from '#contract/report-settings.ts'
import { Alert } from '#web/ui/alert.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import type { FieldsProps } from './fields-props.ts'

/** The share URL of a report; the HTML that Power BI offers for embedding is reduced to its address. */
export function ShareUrlField({ form, errorOf, onChange }: FieldsProps) {
  const [isReduced, setIsReduced] = useState(false)
  const reduce = (text: string): boolean => {
    const url = reduceToUrl(text)
    if (url === text.trim()) return false
    onChange('report_url', url)
    setIsReduced(true)
    return true
  }
  return (
    <div className="space-y-3">
      <TextField
        name="report_url"
        label="URL do relatório"
        type="url"
        inputMode="url"
        placeholder="https://app.powerbi.com/reportEmbed?reportId=…"
        value={form.report_url}
        error={errorOf('report_url')}
        hint={<ReductionHint isReduced={isReduced} />}
        onChange={(event) => {
          setIsReduced(false)
          onChange('report_url', event.currentTarget.value)
        }}
        onPaste={(event) => {
          if (reduce(event.clipboardData.getData('text'))) event.preventDefault()
        }}
        onBlur={(event) => reduce(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {isPublishedToWeb(form.report_url) && (
        <Alert kind="warning" title="Este link é público">
          Links “Publicar na Web” (/view?r=) abrem sem senha para qualquer pessoa na internet, e o portal não
          consegue filtrar os dados por marca. Prefira o link de inserção seguro.
        </Alert>
      )}
    </div>
  )
}

function ReductionHint({ isReduced }: { isReduced: boolean }) {
  return (
    <span role="status">
      {isReduced
        ? 'O código <iframe> colado foi reduzido ao seu endereço.'
        : 'Cole o link de inserção do Power BI; um código <iframe> é reduzido ao seu endereço.'}
    </span>
  )
}
